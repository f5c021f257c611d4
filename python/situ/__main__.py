"""The program `situ`: `python -m situ run table.ron`."""

import signal
import sys

from . import _situ


def main() -> int:
    """Runs the program with the command line of the process; its exit status.

    Ctrl-C is the program's own here, as it is without Python.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    return _situ.main(["situ", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
