"""Programs to paste a fix into, where a wrong one shows: what they draw must stay distinct.

`{}` is the line to mend, `draws()` gives what one process draws, WORKER is the process's number.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class FixCase:
    """A program, the line to blame, and what must be left after the fix.

    Attributes:
        code: The cause.
        line: The line to mend.
        program: All of it.
        source: The ledger's source of the entry.
        event: Its event.
        calls: How often a run came to the line.
        detail: The ledger's detail.
        in_worker: Whether the line runs in a loader's workers.
        ranks: Whether several main processes draw, each its own numbers.
    """

    code: str
    line: str
    program: str
    source: str = "numpy-generator"
    event: str = "construct"
    calls: int = 1
    detail: str = ""
    in_worker: bool = False
    ranks: bool = False


ITEM = """
import random, time, secrets, os
import numpy as np
import torch

class Data:
    def __getitem__(self, index):
        {}
        return {draw}

def draws():
    data = Data()
    return [data[n] for n in range(8)]
"""
IN_INIT = """
import random, time, os
import numpy as np
import torch

class Noise:
    def __init__(self):
        {}

    def __call__(self):
        return {draw}

def draws():
    return [noise() for noise in [Noise() for _ in range(COUNT)] for _ in range(4)]
"""
IN_FUNCTION = """
import random, time, os
import numpy as np
import torch

def augment(x):
    {}
    return x * 0 + {draw}

def draws():
    return [augment(n) for n in range(8)]
"""
IN_WORKER_INIT = """
import random, time, os
import numpy as np
import torch

def worker_init(worker_id):
    {}
    globals()["rng"] = rng

def draws():
    worker_init(WORKER)
    return [{draw} for _ in range(8)]
"""
IN_LOOP = """
import random, time, os
import numpy as np
import torch

def draws():
    found = []
    for epoch in range(8):
        {}
        found.append({draw})
    return found
"""
AT_TOP = """
import random, time, os
import numpy as np
import torch

{}

def draws():
    return [{draw} for _ in range(8)]
"""


def _program(text: str, draw: str, **places: str) -> str:
    text = text.replace("{draw}", draw)
    for name, value in places.items():
        text = text.replace(name, value)
    return text


NORMAL = "float(rng.normal())"
CASES = {
    "generator in an item": FixCase(
        code="worker-rng",
        line="rng = np.random.default_rng()",
        program=_program(ITEM, NORMAL),
        in_worker=True,
        calls=4,
    ),
    "generator in one item": FixCase(
        code="worker-rng",
        line="rng = np.random.default_rng()",
        program=_program(ITEM, NORMAL),
        in_worker=True,
    ),
    "bit generator in an item": FixCase(
        code="worker-rng",
        line="rng = np.random.Generator(np.random.PCG64())",
        program=_program(ITEM, NORMAL),
        in_worker=True,
    ),
    "random state in an item": FixCase(
        code="worker-rng",
        line="rng = np.random.RandomState()",
        program=_program(ITEM, NORMAL),
        in_worker=True,
        source="numpy",
    ),
    "Python's generator in an item": FixCase(
        code="worker-rng",
        line="rng = random.Random()",
        program=_program(ITEM, "rng.random()"),
        in_worker=True,
        source="python",
    ),
    "seed of Python's own in an item": FixCase(
        code="worker-rng",
        line="random.seed()",
        program=_program(ITEM, "random.random()"),
        in_worker=True,
        source="python",
        event="seed",
    ),
    "seed of NumPy's own in an item": FixCase(
        code="worker-rng",
        line="np.random.seed()",
        program=_program(ITEM, "np.random.rand()"),
        in_worker=True,
        source="numpy",
        event="seed",
    ),
    "torch.seed in an item": FixCase(
        code="worker-rng",
        line="torch.seed()",
        program=_program(ITEM, "torch.rand(()).item()"),
        in_worker=True,
        source="torch-cpu",
        event="seed",
    ),
    "generator with a default in an item": FixCase(
        code="worker-rng",
        line="rng = np.random.default_rng(None)",
        program=_program(ITEM, NORMAL),
        in_worker=True,
    ),
    "generator of a worker": FixCase(
        code="worker-rng",
        line="rng = np.random.default_rng()",
        program=_program(IN_WORKER_INIT, NORMAL),
        in_worker=True,
    ),
    "Python's generator of a worker": FixCase(
        code="worker-rng",
        line="rng = random.Random()",
        program=_program(IN_WORKER_INIT, "rng.random()"),
        in_worker=True,
        source="python",
    ),
    "clock in an item": FixCase(
        code="clock",
        line="rng = np.random.default_rng(time.time_ns())",
        program=_program(ITEM, NORMAL),
        in_worker=True,
        source="clock",
        event="read",
        detail="time.time_ns",
    ),
    "clock with the number of a worker": FixCase(
        code="clock",
        line="rng = np.random.default_rng(time.time_ns() + worker_id)",
        program=_program(IN_WORKER_INIT, NORMAL),
        in_worker=True,
        source="clock",
        event="read",
        detail="time.time_ns",
    ),
    "entropy in an item": FixCase(
        code="entropy",
        line="rng = np.random.default_rng(int.from_bytes(os.urandom(4), 'little'))",
        program=_program(ITEM, NORMAL),
        in_worker=True,
        source="urandom",
        event="draw",
        detail="os.urandom",
    ),
    "a draw from the system in an item": FixCase(
        code="entropy",
        line="token = secrets.randbits(40)",
        program=_program(ITEM, "token"),
        in_worker=True,
        source="secrets",
        event="draw",
    ),
    "a draw from the system in a loop": FixCase(
        code="entropy",
        line="token = int.from_bytes(os.urandom(5), 'little')",
        program=_program(IN_LOOP, "token"),
        source="urandom",
        event="draw",
        detail="os.urandom",
    ),
    "generator of an augmentation": FixCase(
        code="unseeded-rng",
        line="rng = np.random.default_rng()",
        program=_program(IN_FUNCTION, NORMAL),
        calls=8,
    ),
    "generator of an augmentation, ended early": FixCase(
        code="unseeded-rng",
        line="rng = np.random.default_rng()",
        program=_program(IN_FUNCTION, NORMAL),
    ),
    "generators of several objects": FixCase(
        code="unseeded-rng",
        line="self.rng = np.random.default_rng()",
        program=_program(IN_INIT, "float(self.rng.normal())", COUNT="3"),
        calls=3,
    ),
    "generator of one object": FixCase(
        code="unseeded-rng",
        line="self.rng = np.random.default_rng()",
        program=_program(IN_INIT, "float(self.rng.normal())", COUNT="1"),
    ),
    "seed in a loop": FixCase(
        code="unseeded-rng",
        line="np.random.seed()",
        program=_program(IN_LOOP, "np.random.rand()"),
        source="numpy",
        event="seed",
        calls=8,
    ),
    "clock in a loop": FixCase(
        code="clock",
        line="torch.manual_seed(int(time.time()))",
        program=_program(IN_LOOP, "torch.rand(()).item()"),
        source="clock",
        event="read",
        detail="time.time",
    ),
    "named seed in a loop": FixCase(
        code="clock",
        line="seed = time.time_ns() % 2**31",
        program=_program(IN_LOOP, NORMAL).replace(
            "found.append", "rng = np.random.default_rng(seed)\n        found.append"
        ),
        source="clock",
        event="read",
        detail="time.time_ns",
    ),
    "generator at the top": FixCase(
        code="unseeded-rng",
        line="rng = np.random.default_rng()",
        program=_program(AT_TOP, NORMAL),
    ),
    "seed with a rank": FixCase(
        code="clock",
        line="seed = int(time.time()) + WORKER",
        program=_program(AT_TOP, "float(rng.normal())").replace(
            "\ndef draws", "\nrng = np.random.default_rng(seed)\n\ndef draws"
        ),
        source="clock",
        event="read",
        detail="time.time",
        ranks=True,
    ),
    "torch generator of an augmentation": FixCase(
        code="unseeded-rng",
        line="g.seed()",
        program=_program(IN_FUNCTION, "torch.rand((), generator=g).item()").replace(
            "    {}", "    g = torch.Generator()\n    {}"
        ),
        source="torch-generator",
        event="seed",
        calls=8,
    ),
}
