"""Following the values of a program's variables, line by line: docs/how-it-works/values.md.

`mentions` reads from a code object which variables each of its lines mentions, `plain` stands for
library objects, `tracing` runs the native tracer beside a recording.
"""
