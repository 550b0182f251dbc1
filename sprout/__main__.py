"""`python -m sprout` is `sprout`."""

import sys

from sprout.cli import main

sys.exit(main())
