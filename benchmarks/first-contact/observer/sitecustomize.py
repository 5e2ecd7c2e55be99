"""Notes what a plain run computes, without samebits: a digest of the weights after each step.

Put on PYTHONPATH. Each process of the program writes, as it ends, a file of its own into the folder
FIRST_CONTACT_NOTES: how many optimizer steps it made, and a digest of all parameters after each.
"""

import atexit
import hashlib
import importlib.abc
import importlib.util
import json
import os
import sys

_digest = hashlib.sha256()
_steps = [0, os.getpid()]


def _stepped(optimizer, args, kwargs):
    if os.getpid() != _steps[1]:  # a forked child begins anew
        _steps[:] = [0, os.getpid()]
    _steps[0] += 1
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            numbers = parameter.detach().cpu().contiguous().reshape(-1)
            _digest.update(numbers.view(sys.modules["torch"].uint8).numpy())


def _write():
    folder = os.environ.get("FIRST_CONTACT_NOTES")
    if folder and _steps[0]:
        with open(f"{folder}/{os.getpid()}.json", "w") as file:
            json.dump({"steps": _steps[0], "weights": _digest.hexdigest()}, file)


class _WhenTorchIsImported(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "torch.optim.optimizer":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            module.register_optimizer_step_post_hook(_stepped)
            atexit.register(_write)
            # Children of multiprocessing leave by os._exit, past atexit.
            import multiprocessing.util

            multiprocessing.util.Finalize(None, _write, exitpriority=100)

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, _WhenTorchIsImported())
