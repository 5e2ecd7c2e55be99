"""Two recordings of one program in fresh processes are equal row by row, wherever memory lies."""

from __future__ import annotations

import pytest

from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace

PROGRAM = """
    import numpy as np
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    def main():
        torch.manual_seed(0)
        net = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Dropout(0.3), nn.Linear(64, 32), nn.Unflatten(1, (4, 8)),
            nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), nn.LSTM(8, 6),
        )
        head = nn.Linear(6, 3)
        optimizer = torch.optim.AdamW([*net.parameters(), *head.parameters()])
        rng = np.random.default_rng(0)
        images = torch.from_numpy((rng.random((32, 1, 8, 8)) > 0.7).astype(np.float32))
        labels = torch.from_numpy(rng.integers(0, 3, 32))
        loader = DataLoader(TensorDataset(images, labels), 8, shuffle=True, num_workers=2)
        for _ in range(3):
            for x, y in loader:
                found = head(net(x)[0].mean(1))
                loss = nn.functional.cross_entropy(found, y)
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                optimizer.step()
                x[:, :, ::2].zero_()
                with torch.no_grad():
                    net.eval()(x).__getitem__(0)
                    net.train()

    if __name__ == "__main__":
        main()
"""


@pytest.mark.parametrize(
    "times", [pytest.param(2, id="twice"), pytest.param(10, id="ten", marks=pytest.mark.slow)]
)
def test_recordings_are_equal_row_by_row(scripts, times):
    target = Target(script=scripts.write(PROGRAM))
    first, *others = (
        Trace.open(scripts.run(target, level="op", capture_output=True).folder)
        for _ in range(times)
    )
    assert first.manifest.counts["steps"] == 12
    expected = first.ops().columns
    for other in others:
        found = other.ops().columns
        for name in expected.keys() - {"data"}:
            assert (found[name] == expected[name]).all(), name
        assert found.keys() == expected.keys()
        steps, expected_steps = other.steps(), first.steps()
        for name in expected_steps.keys() - {"loss_value"}:
            assert (steps[name] == expected_steps[name]).all(), name
        assert other.sites() == first.sites()
