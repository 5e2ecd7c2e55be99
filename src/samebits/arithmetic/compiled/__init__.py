"""`torch.compile(…, backend="samebits")`: graphs that run with the exact kernels.

`backend` is what torch finds by its entry point; `capture` has AOTAutograd make graphs without
mutations of what torch has traced; `plan` makes a list of steps of each, `running` runs it.
"""
