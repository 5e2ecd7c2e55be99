"""What is said of everyday files: drawn seeds, requirements, cuDNN's switches."""

from __future__ import annotations

import pytest

IMPORTS = "import random\nimport numpy as np\nimport torch\nfrom options import args\n"
SEEDS = [
    "torch.manual_seed(random.randint(0, 2**32))",
    "s = random.randint(1, 10000)\nrandom.seed(s)\ntorch.manual_seed(s)",
    "torch.manual_seed(int(np.random.randint(9)))",
    "s = torch.randint(0, 9, (1,)).item()\nrandom.seed(s)",
    "from transformers import set_seed\nset_seed(random.randint(0, 9))",
    "import transformers\ntransformers.trainer_utils.set_seed(seed=np.random.randint(9))",
    "from lightning import seed_everything\nseed_everything(int(torch.randint(9, (1,))))",
    "if args.seed is None:\n    args.seed = random.randint(1, 9)\ntorch.manual_seed(args.seed)",
]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_drawn_from_an_unseeded_generator_is_found_once(codes, seed):
    assert set(codes(f"{IMPORTS}{seed}\nprint(1)\n")) == {"SB117"}


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_from_a_seeded_one_it_is_right(codes, seed):
    seeded = "random.seed(0)\nnp.random.seed(0)\ntorch.manual_seed(0)"
    assert codes(f"{IMPORTS}{seeded}\n{seed}\nprint(1)\n") == []


def test_requirements_are_one_finding(lint):
    wanted = "".join(f"package{n}>=1\n" for n in range(73))
    (found,) = lint({"requirements.txt": wanted, "train.py": "print(1)\n"})
    assert (found.code, found.line) == ("SB603", 1)
    assert "and 72 more in this file" in found.message


def test_requirements_of_development_are_not_the_programs(codes):
    names = ["requirements-dev.txt", "test-requirements.txt", "requirements_docs.txt"]
    assert codes({**dict.fromkeys(names, "pytest\n"), "train.py": "print(1)\n"}) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", []),
        ("torch.backends.cudnn.benchmark = False", []),
        ("torch.backends.cudnn.benchmark = True", ["SB301", "SB302"]),
    ],
)
def test_benchmark_is_off_unless_turned_on(codes, line, expected):
    assert codes(f"import torch\n{line}\ntorch.backends.cudnn.deterministic = True\n") == expected
