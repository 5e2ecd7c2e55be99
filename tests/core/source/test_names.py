from __future__ import annotations

import ast

import pytest

from samebits.core.source.parsed import ParsedSource


def name_of_last_call(text: str) -> str:
    parsed = ParsedSource(text)
    calls = [n for n in ast.walk(parsed.tree.root) if isinstance(n, ast.Call)]
    return parsed.names.qualified(calls[-1].func) or ""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import numpy\nnumpy.random.rand()", "numpy.random.rand"),
        ("import numpy as np\nnp.random.rand()", "numpy.random.rand"),
        ("from numpy import random as r\nr.rand()", "numpy.random.rand"),
        ("from numpy.random import rand as draw\ndraw()", "numpy.random.rand"),
        ("import torch.nn.functional as F\nF.relu()", "torch.nn.functional.relu"),
        ("from torch.utils.data import DataLoader as DL\nDL()", "torch.utils.data.DataLoader"),
        (
            "from torch.utils.data.dataloader import DataLoader\nDataLoader()",
            "torch.utils.data.DataLoader",
        ),
        ("import torch.backends.cudnn as c\nc.version()", "torch.backends.cudnn.version"),
        ("from .utils import seed\nseed()", ".utils.seed"),
        ("from . import utils\nutils.seed()", ".utils.seed"),
        ("hash(1)", "builtins.hash"),
        ("def f():\n    import random as r\n    r.seed()", "random.seed"),
        ("import numpy as np\nr = np.random\nr.rand()", "numpy.random.rand"),
        (
            "try:\n    import numpy as np\nexcept ImportError:\n    np = None\nnp.array()",
            "numpy.array",
        ),
        ("import random\ndef f(random):\n    random.random()", ""),
        ("import random\nrandom = object()\nrandom.random()", ""),
        ("def hash(x):\n    pass\nhash(1)", ""),
        (
            "class C:\n    def set(self): ...\n    def f(self):\n        return set([1])",
            "builtins.set",
        ),
        ("x = x.y\nx.z()", ""),
        ("f()()", ""),
    ],
)
def test_what_a_name_stands_for(text, name):
    assert name_of_last_call(text) == name
