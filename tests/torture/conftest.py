"""The modules beside this file are those of ``python tests/torture``, imported by their names."""

import sys
from pathlib import Path

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)
