"""`lifelong doctor`: is everything in order, and if not, what to do."""

from __future__ import annotations

from typing import NamedTuple

from lifelong.apps.cli.diagnosis import OK, WARNING, WRONG, examine
from lifelong.apps.cli.edge import DONE, NOTHING
from lifelong.apps.cli.options import AsJson, Place, command
from lifelong.apps.cli.output import Screen, one_line, print_json

_STYLES = {OK: "green", WARNING: "yellow", WRONG: "bold red"}


class DoctorOptions(NamedTuple):
    """What `lifelong doctor` takes."""

    as_json: AsJson = False


@command(DoctorOptions)
def doctor(given: DoctorOptions, place: Place) -> int:
    """Look at software, place, key, disk and store, and tell what to mend."""
    findings = list(examine(place))
    is_well = all(finding.state != WRONG for finding in findings)
    if given.as_json:
        print_json({"is_well": is_well, "findings": findings})
        return DONE if is_well else NOTHING
    screen = Screen()
    for finding in findings:
        screen.line(
            (f"{finding.state:<7}", _STYLES[finding.state]),
            f"  {finding.name:<11}  {one_line(finding.value)}",
        )
        if finding.remedy:
            screen.line(one_line(finding.remedy), indent=9)
    return DONE if is_well else NOTHING
