"""`python -m kmodes_study` is the command `kmodes-study`."""

import sys

from kmodes_study.command.cli import main

if __name__ == "__main__":
    sys.exit(main())
