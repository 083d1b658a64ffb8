"""`python -m rostra.cli` is `rostra`, also where the script is not on the path."""

import sys

from rostra.cli import main

sys.exit(main())
