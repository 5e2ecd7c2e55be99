"""A seed in one file answers for a draw in another, when the program really sets it."""

from __future__ import annotations

import pytest

DRAWS = "import torch\nprint(torch.rand(3))\n"
SEEDER = """
    import torch
    def prepare():
        torch.manual_seed(0)
"""


def test_a_seed_in_another_file_counts_when_it_is_called(codes):
    train = f"from utils import prepare\nprepare()\n{DRAWS}"
    assert codes({"train.py": train, "utils.py": SEEDER}) == []


def test_a_seed_that_nobody_calls_does_not_count(codes):
    train = f"from utils import prepare\n{DRAWS}"
    assert codes({"train.py": train, "utils.py": SEEDER}) == ["SB103"]


def test_a_file_that_is_not_named_is_still_read_for_its_seed(codes):
    files = {"train.py": f"from utils import prepare\nprepare()\n{DRAWS}", "utils.py": SEEDER}
    assert codes(files, "train.py") == []


def test_another_program_in_the_folder_does_not_count(codes):
    other = "import torch\ntorch.manual_seed(0)\nprint(torch.rand(1))\n"
    assert codes({"train.py": DRAWS, "other.py": other}) == ["SB103"]


def test_programs_that_share_a_file_do_not_vouch_for_each_other(lint):
    shared = "import torch\ndef draw():\n    return torch.rand(3)\n"
    seeded = "import torch\nfrom shared import draw\ntorch.manual_seed(0)\nprint(draw())\n"
    found = lint(
        {
            "shared.py": shared,
            "a.py": seeded,
            "b.py": f"from shared import draw\nprint(draw())\n{DRAWS}",
        }
    )
    assert [(f.path, f.code) for f in found] == [("b.py", "SB103")]


def test_a_library_alone_is_not_accused(codes):
    assert codes({"model.py": "import torch\ndef draw():\n    return torch.rand(3)\n"}) == []


def test_a_library_of_a_program_that_never_seeds_is(lint):
    model = "import torch\ndef draw():\n    return torch.rand(3)\n"
    found = lint({"model.py": model, "train.py": "from model import draw\nprint(draw())\n"})
    assert [(f.path, f.line, f.code) for f in found] == [("model.py", 3, "SB103")]


def test_tests_do_not_vouch_for_what_they_test(lint):
    files = {
        "model.py": "import torch\ndef draw():\n    return torch.rand(3)\n",
        "train.py": "from model import draw\nprint(draw())\n",
        "test_model.py": "import torch\nfrom model import draw\ntorch.manual_seed(0)\ndraw()\n",
    }
    assert [f.path for f in lint(files)] == ["model.py"]


@pytest.mark.parametrize("spelling", ["from . import utils", "from .utils import prepare"])
def test_relative_imports_are_followed(codes, spelling):
    call = "utils.prepare()" if spelling.endswith("utils") else "prepare()"
    train = f"{spelling}\nimport torch\nif __name__ == '__main__':\n    {call}\n    torch.rand(3)\n"
    files = {"p/__init__.py": "", "p/train.py": train, "p/utils.py": SEEDER}
    assert codes(files) == []


def test_importing_in_a_circle_ends(codes):
    files = {"a.py": f"import b\n{DRAWS}", "b.py": "import a\n"}
    assert codes(files) == ["SB103"]


def test_a_worker_init_function_does_not_seed_the_program(codes):
    text = """
        import torch
        from torch.utils.data import DataLoader
        def seed_it(worker):
            torch.manual_seed(worker)
        for batch in DataLoader([1], num_workers=1, worker_init_fn=seed_it):
            print(batch, torch.rand(1))
    """
    assert codes(text) == ["SB103"]


def test_requirements_count_beside_a_script_only(codes):
    library = {"lib/requirements.txt": "torch>=2\n", "lib/m.py": "def f():\n    pass\n"}
    assert codes(library) == []
    assert codes({"lib/train.py": "print(1)\n"}) == ["SB603"]


UNSEEDED = "import torch\nlayer = torch.nn.Linear(4, 2)\nprint(layer)\n"
LIBRARY = "import torch\ndef build{0}():\n    return torch.nn.Linear(4, 2)\n"


def test_one_finding_for_a_program_that_never_seeds(lint):
    files = {f"part{n}.py": LIBRARY.format(n) for n in range(5)}
    imports = "".join(f"import part{n}\n" for n in range(5))
    assert [(f.path, f.code) for f in lint({**files, "train.py": imports + UNSEEDED})] == [
        ("train.py", "SB103")
    ]


def test_where_only_libraries_draw_the_first_one_is_named(lint):
    files = {f"part{n}.py": LIBRARY.format(n) for n in range(5)}
    imports = "".join(f"import part{n}\n" for n in range(5))
    found = lint({**files, "train.py": f"{imports}print(part0.build0())\n"})
    assert [(f.path, f.code) for f in found] == [("part0.py", "SB103")]


def test_two_programs_get_a_finding_each(lint):
    found = lint({"a.py": UNSEEDED, "b.py": UNSEEDED})
    assert [(f.path, f.code) for f in found] == [("a.py", "SB103"), ("b.py", "SB103")]


@pytest.mark.parametrize(
    ("last_lines", "is_program"),
    [
        ("torch.set_printoptions(precision=3)", False),
        ("register(build)", False),
        ("for size in (1, 2):\n    register(size)", False),
        ("with open(__file__) as f:\n    TEXT = f.read()", False),
        ("DEFAULT = build()", False),
        ("build().eval()", False),
        ("print(build())", True),
        ("main()", True),
        ("experiment()", True),
        ("loss = train(3)", True),
        ("for step in range(3):\n    build()(torch.ones(4)).sum().backward()", True),
        ("Trainer().run()", True),
        ("if __name__ == '__main__':\n    build()", True),
    ],
)
def test_a_program_is_what_runs_something(codes, last_lines, is_program):
    head = """import torch
def build():
    return torch.nn.Linear(4, 2)
def register(x): pass
def main(): build()
def experiment(): build()
def train(n): build()
class Trainer:
    def run(self): build()
"""
    assert codes({"model.py": head + last_lines + "\n"}) == (["SB103"] if is_program else [])
