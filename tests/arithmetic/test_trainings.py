"""Whole trainings end with the committed fingerprint, for every thread count and every build."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.conftest import builds
from tests.arithmetic.trainings import TRAININGS

import samebits
from samebits.core.fingerprint import isa

# They change with a new version of docs/arithmetic.md and never else.
FINGERPRINTS = {
    "digits_cnn": "a82fa68ccdccf2b3",
    "gpt": "98ade22dddb30857",
    "lstm": "b534020256961b4d",
}
THREADS = (1, 2, 3, 7)
ALL = [(build, threads) for build in builds() for threads in THREADS]
# One thread with the best build, and seven with the plainest, stand for all of them.
QUICK = [ALL[0], ALL[-1]]


def trained(name: str) -> tuple[str, list[float]]:
    with samebits.exact():
        model, said, losses = TRAININGS[name]()
        return samebits.fingerprint([model, said, torch.tensor(losses)]), losses


def check(name: str, build: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(isa.VARIABLE, build)
    torch.set_num_threads(threads)
    found, losses = trained(name)
    assert sum(losses[-4:]) < 0.85 * sum(losses[:4]), "it does not learn"
    assert found == FINGERPRINTS[name]


@pytest.mark.parametrize(("build", "threads"), QUICK)
@pytest.mark.parametrize("name", TRAININGS)
def test_a_training_ends_with_the_committed_fingerprint(name, build, threads, monkeypatch):
    check(name, build, threads, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize(("build", "threads"), [pair for pair in ALL if pair not in QUICK])
@pytest.mark.parametrize("name", TRAININGS)
def test_so_it_does_with_every_build_and_thread_count(name, build, threads, monkeypatch):
    check(name, build, threads, monkeypatch)


def test_the_fingerprint_is_sensitive_to_a_single_bit(monkeypatch):
    name = "digits_cnn"
    original = torch.optim.SGD.__init__
    monkeypatch.setattr(
        torch.optim.SGD,
        "__init__",
        lambda self, *args, **options: original(
            self, *args, **{**options, "lr": options["lr"] * (1 + 2**-20)}
        ),
    )
    assert trained(name)[0] != FINGERPRINTS[name]
