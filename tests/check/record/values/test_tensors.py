"""Bits of arrays, tensors and modules count; unwritten memory and temporary names do not."""

from __future__ import annotations

from samebits.check.diff.values import first_value_differences
from samebits.core.interposition.surroundings import Surroundings

SOURCE = """
    import tempfile
    from pathlib import Path

    import numpy as np
    import torch
    from torch.utils.data import DataLoader, Dataset

    torch.manual_seed(0)
    words = {f"word{number}" for number in range(40)}

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(4, 2)
            self.register_buffer("scale", torch.ones(2))

        def forward(self, x):
            return self.layer(x) * self.scale

    class Words(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            order = [int(word) for word in {str(n * index) for n in range(40)}]
            return torch.tensor(order[:1])

    rows = np.arange(160, dtype=np.float32).reshape(40, 4)[:, ::2]
    net = Net()
    scratch = torch.empty(1000)
    y = net(torch.ones(3, 4))
    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "table.npz"
    names = np.array(sorted(words), dtype=object)
    codes = torch.tensor([int(word[4:]) for word in words])
    halves = rows * codes.numpy()[:, None]
    fork = {"num_workers": 1, "multiprocessing_context": "fork"}
    for batch in DataLoader(Words(), batch_size=2, **fork):
        total = batch.sum()
    """


def at(text):
    """Number of the line of the script that begins like this."""
    lines = (line.strip() for line in SOURCE.splitlines())
    return next(number for number, line in enumerate(lines, 1) if line.startswith(text))


def test_the_lines_behind_arrays_tensors_and_batches(scripts):
    scripts.write(SOURCE)
    folders = []
    for seed in "12":
        environment = Surroundings(environment={"PYTHONHASHSEED": seed})
        ended, result = scripts.recorded("script.py", trace_values=True, surroundings=environment)
        assert ended.code == 0, ended.stderr
        assert result.failure is None
        folders.append(result.folder)
    found = first_value_differences(*folders)
    main = [line for line in found.lines if line.process == "0"]
    assert [line.line for line in main[:2]] == [at("codes ="), at("halves =")], found
    assert dict(zip(main[1].names, main[1].kinds, strict=True)) == {
        "halves": "array",
        "codes": "tensor",
    }
    lines = [(line.process, line.line) for line in found.lines]
    assert lines.index(("0-1", at("order ="))) < lines.index(("0", at("for batch in")))
