"""The command line: one file a command; its docstring is its help.

Nothing here imports torch, NumPy, pyarrow or Rich before a command needs it, so that
`samebits --help` answers at once.
"""
