"""Random numbers inside `exact()`: seeds, states, generators and workers behave as torch's do."""

from __future__ import annotations

import pytest
import torch
from tests.arithmetic.conftest import builds
from torch.utils.data import DataLoader, Dataset

import samebits
from samebits.arithmetic import _exact

DRAWS = {
    "rand": lambda g: torch.rand(50, generator=g),
    "randn": lambda g: torch.randn(7, 9, generator=g),
    "randint": lambda g: torch.randint(-3, 40, (60,), generator=g),
    "randperm": lambda g: torch.randperm(33, generator=g),
    "uniform_": lambda g: torch.empty(5, 4).uniform_(-1, 2, generator=g),
    "normal_": lambda g: torch.empty(5, 4).t().normal_(1, 2, generator=g),
    "bernoulli": lambda g: torch.full((40,), 0.3).bernoulli(generator=g),
    "bernoulli_": lambda g: torch.empty(40).bernoulli_(0.3, generator=g),
    "exponential_": lambda g: torch.empty(40).exponential_(2, generator=g),
    "multinomial": lambda g: torch.multinomial(torch.ones(3, 20), 9, generator=g),
    "multinomial, replaced": lambda g: torch.multinomial(torch.ones(20), 30, True, generator=g),
    "random_": lambda g: torch.empty(30, dtype=torch.int64).random_(generator=g),
    "normal": lambda g: torch.normal(torch.zeros(9), torch.ones(9), generator=g),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_repeat_by_seed_and_by_state(name):
    draw = DRAWS[name]
    with samebits.exact():
        generator = torch.Generator().manual_seed(5)
        first = draw(generator)
        state = generator.get_state()
        second = draw(generator)
        assert not first.equal(second)
        assert draw(torch.Generator().manual_seed(5)).equal(first)
        generator.set_state(state)
        assert draw(generator).equal(second)


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_the_same_for_threads_and_builds(name):
    found = set()
    for build in builds():
        for threads in (1, 3):
            _exact.set_isa(build)
            torch.set_num_threads(threads)
            with samebits.exact():
                found.add(samebits.fingerprint(DRAWS[name](torch.Generator().manual_seed(1))))
    assert len(found) == 1


def test_the_default_generator_is_saved_and_restored():
    with samebits.exact():
        torch.manual_seed(3)
        state = torch.get_rng_state()
        first = torch.randn(4)
        torch.set_rng_state(state)
        assert torch.randn(4).equal(first)
        with torch.random.fork_rng(devices=[]):
            torch.randn(4)
        after = torch.randn(4)
        torch.set_rng_state(state)
        torch.randn(4)
        assert torch.randn(4).equal(after)


def test_large_draws_have_the_moments_of_their_distribution():
    with samebits.exact():
        torch.manual_seed(0)
        z, u = torch.randn(1 << 18), torch.rand(1 << 18)
        e, b = torch.empty(1 << 18).exponential_(2), torch.empty(1 << 18).bernoulli_(0.3)
        whole = torch.randint(0, 10, (1 << 18,))
    assert abs(z.mean()) < 0.01
    assert abs(z.std() - 1) < 0.01
    assert abs(z.pow(3).mean()) < 0.03
    assert abs(u.mean() - 0.5) < 0.005
    assert (u.min(), u.max()) >= (0, 0.99)
    assert abs(e.mean() - 0.5) < 0.01
    assert abs(b.mean() - 0.3) < 0.005
    assert torch.bincount(whole).min() > 25500


def test_a_generator_of_another_device_is_refused():
    class OnCuda:
        device = torch.device("cuda")

    from samebits.arithmetic.operations.random import next_key

    with pytest.raises(RuntimeError, match="generator of the cpu"):
        next_key(torch.ops.aten.randn.generator, OnCuda())


class Noise(Dataset):
    def __len__(self) -> int:
        return 8

    def __getitem__(self, place: int) -> torch.Tensor:
        return torch.randn(3)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_workers_of_a_loader_draw_exact_numbers():
    def drawn(build: str) -> str:
        _exact.set_isa(build)
        with samebits.exact():
            torch.manual_seed(0)
            return samebits.fingerprint(
                list(DataLoader(Noise(), batch_size=2, num_workers=2, shuffle=True))
            )

    assert len({drawn(build) for build in (builds()[0], "plain")}) == 1


def test_dropout_keeps_and_scales():
    with samebits.exact():
        x = torch.ones(10000)
        y = torch.nn.functional.dropout(x, 0.25)
    assert set(y.tolist()) == {0.0, (torch.ones(1) / 0.75).item()}
    assert abs(y.mean() - 1) < 0.03


def test_initialisations_are_covered():
    with samebits.exact():
        for fill in (
            torch.nn.init.xavier_uniform_,
            torch.nn.init.kaiming_normal_,
            torch.nn.init.trunc_normal_,
        ):
            assert fill(torch.empty(30, 20)).std() > 0
