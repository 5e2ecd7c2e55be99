"""The rules, one a file; `samebits.lint.registry` finds them by name."""
