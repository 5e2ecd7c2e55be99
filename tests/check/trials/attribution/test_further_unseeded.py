"""What else has no seed, beside the generator that is blamed."""

from __future__ import annotations

from tests.check.causes.made_up import entry

from samebits.check.causes.writing.fix import fix
from samebits.check.trials.attribution.culprit import Culprit
from samebits.check.trials.attribution.further_unseeded import further_unseeded

BLAMED = Culprit(file="/w/train.py", line=3, detail="torch-cpu")
TORCH = entry("torch-cpu", "draw", 9, detail="torch.Tensor.uniform_", seeded=0)
PYTHON = entry("python", "draw", 7, detail="random.shuffle", seeded=0)
MADE = entry("numpy-generator", "construct", 5, detail="numpy.random.default_rng", seeded=0)
DRAWN = entry("numpy-generator", "draw", 6, detail="numpy.random.Generator.normal", seeded=0)


def test_each_generator_is_named_once():
    assert further_unseeded([TORCH, MADE, DRAWN, PYTHON, PYTHON], BLAMED) == [
        "# numpy.random.default_rng makes a generator without a seed at train.py:5: "
        "give it one as well",
        "random.seed(0)  # random.shuffle draws without a seed at train.py:7",
    ]


def test_the_one_that_is_blamed_is_not_named_again():
    assert further_unseeded([TORCH], BLAMED) == []
    made = Culprit(file=MADE.place[0], line=MADE.place[1], detail="numpy-generator")
    assert further_unseeded([MADE, DRAWN], made) == []


def test_what_is_written_beside_is_imported_as_well(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("import torch\nx = torch.rand(3)\n")
    culprit = Culprit(file=str(script), line=2, detail="torch-cpu")
    told = fix("unseeded-rng", culprit, further=further_unseeded([PYTHON], BLAMED))
    assert told.splitlines() == [
        "import random  # at the top of the file",
        "torch.manual_seed(0)  # at the start, before anything is drawn",
        "random.seed(0)  # random.shuffle draws without a seed at train.py:7",
    ]
