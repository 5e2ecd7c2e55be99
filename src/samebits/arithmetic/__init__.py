"""Arithmetic whose bits do not depend on the machine: `samebits.exact()`."""
