"""Telephone numbers by the numbering plans of all countries: an extra, with `phonenumbers`.

`lifelong.screening.personal` finds numbers by their form and the words beside them, and needs no
package. This finder knows which numbers exist; it finds those without a country's code only for
the region it is given.
"""

from __future__ import annotations

from lifelong.errors import InvalidValue, MissingExtra
from lifelong.writing import PERSONAL, Finding


class PhoneFinder:
    """Finds valid telephone numbers; one of the finders that screening can be given.

    Attributes:
        name: what tells it from a finder that is set up otherwise.
    """

    def __init__(self, region: str | None = None) -> None:
        """Load the numbering plans.

        Args:
            region: the country of numbers without a country's code, as "DE"; None to find only
                those that begin with "+".

        Raises:
            MissingExtra: phonenumbers is not installed.
            InvalidValue: there is no such region.
        """
        try:
            import phonenumbers
        except ImportError as error:
            raise MissingExtra("phonenumbers", "personal") from error
        if region is not None and region not in phonenumbers.SUPPORTED_REGIONS:
            raise InvalidValue(f"{region!r} is no region with telephone numbers, as 'DE' is one")
        self.name = f"phones:{region or ''}"
        self._region = region
        self._matcher = phonenumbers.PhoneNumberMatcher

    def __call__(self, text: str) -> tuple[Finding, ...]:
        """Return where telephone numbers stand, in order."""
        return tuple(
            Finding(PERSONAL, "phone", match.start, match.end)
            for match in self._matcher(text, self._region)
        )
