"""`python -m samebits`: the command line, for where its script is not on the path."""

from __future__ import annotations

from samebits.cli.app import main

if __name__ == "__main__":
    main()
