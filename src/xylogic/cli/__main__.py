"""``python -m xylogic.cli`` is ``xylogic``."""

import sys

from xylogic.cli import main

sys.exit(main())
