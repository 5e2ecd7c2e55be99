"""What spares a script of a test half of its start."""

WITHOUT_DYNAMO = """
# An optimizer's first call imports torch's compiler, which takes longer than all else in a process
# of a few steps; functions that have this mark are called as they are.
for name in ("add_param_group", "load_state_dict", "state_dict", "zero_grad"):
    function = getattr(torch.optim.Optimizer, name).__wrapped__
    function.__dynamo_disable = function
"""
