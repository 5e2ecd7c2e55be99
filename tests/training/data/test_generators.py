"""Generators set from a key: the same fast and slowly, saved and put back to the bit."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from samebits.core import _native
from samebits.training.data.generators import GlobalGenerators, set_torch_generator, torch_template

from .datasets import draw, global_states

KEY = bytes(range(16))


@pytest.fixture
def fast() -> GlobalGenerators:
    return GlobalGenerators()


@pytest.fixture
def slow() -> GlobalGenerators:
    return GlobalGenerators(locate=False)


def test_the_words_are_numpys_philox():
    philox = np.random.Philox(key=np.frombuffer(KEY, dtype="<u8"))
    assert _native.expand_key(KEY) == philox.random_raw(940).astype("<u8").tobytes()


@pytest.mark.parametrize("build", ["plain", "avx512"])
def test_every_build_gives_the_same_words(build):
    generator = np.random.default_rng(0)
    for key in [bytes(16), b"\xff" * 16, *(generator.bytes(16) for _ in range(50))]:
        try:
            found = _native.expand_key(key, build)
        except ValueError:
            pytest.skip(f"this processor has no {build}")
        philox = np.random.Philox(key=np.frombuffer(key, dtype="<u8"))
        assert found == philox.random_raw(940).astype("<u8").tobytes()


def test_an_unknown_build_is_refused():
    with pytest.raises(ValueError, match="no build called sse runs here"):
        _native.expand_key(KEY, "sse")


def test_the_states_are_the_words(fast):
    fast.seed(KEY)
    words = np.random.Philox(key=np.frombuffer(KEY, dtype="<u8")).random_raw(940)
    halves = words.view(np.uint32)
    assert random.getstate() == (3, (*halves[:624].tolist(), 0), None)
    state = np.random.get_state(legacy=False)
    assert state["state"]["key"].tolist() == halves[624:1248].tolist()
    assert (state["state"]["pos"], state["has_gauss"]) == (0, 0)
    torch_words = torch.get_rng_state().numpy()[24 : 24 + 8 * 624].view(np.uint64)
    assert torch_words.tolist() == halves[1248:1872].tolist()
    assert torch.initial_seed() == int(words[936]) >> 1


def test_public_functions_set_the_same_states(fast, slow):
    fast.seed(KEY)
    found = draw(0), global_states()
    slow.seed(KEY)
    assert draw(0).tolist() == found[0].tolist()
    assert global_states() == found[1]


def test_a_cached_normal_does_not_survive_seeding(fast):
    fast.seed(KEY)
    first = np.random.randn(), random.gauss(0, 1), float(torch.randn(()))
    fast.seed(KEY)  # one half of each pair is waiting now
    assert (np.random.randn(), random.gauss(0, 1), float(torch.randn(()))) == first


def test_seeding_again_without_a_draw(fast):
    fast.seed(KEY)
    fast.seed(bytes(16))
    first = draw(0)
    fast.seed(KEY)
    fast.seed(bytes(16))
    assert draw(0).tolist() == first.tolist()


@pytest.mark.parametrize("cached", [False, True])
@pytest.mark.parametrize("kind", ["fast", "slow"])
def test_isolation_puts_everything_back(kind, cached, request):
    generators = request.getfixturevalue(kind)
    if cached:
        random.gauss(0, 1)
        np.random.randn()
        torch.randn(())
    before = global_states()
    for _ in range(3):  # the second time the state of NumPy's is known from the first
        with generators.isolated():
            generators.seed(KEY)
            draw(0)
        assert global_states() == before


def test_isolation_notices_draws_in_between(fast):
    for _ in range(3):
        with fast.isolated():
            fast.seed(KEY)
            draw(0)
        draw(0)
        before = global_states()
        with fast.isolated():
            fast.seed(KEY)
        assert global_states() == before


def test_isolation_when_what_is_inside_raises(fast):
    before = global_states()

    def fail() -> None:
        with fast.isolated():
            fast.seed(KEY)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert global_states() == before


@pytest.mark.parametrize(
    "use", [random.random, np.random.rand, np.random.randn, lambda: torch.rand(())]
)
def test_a_draw_is_noticed(fast, use):
    fast.seed(KEY)
    assert not fast.drawn()
    use()
    assert fast.drawn()


def test_another_bit_generator_of_numpy(fast):
    before = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(0))
    try:
        with fast.isolated():
            fast.seed(KEY)
            first = np.random.rand()
            fast.seed(KEY)
            assert np.random.rand() == first
    finally:
        np.random.set_bit_generator(before)
    fast.seed(KEY)
    found = draw(0)
    fast.seed(KEY)
    assert draw(0).tolist() == found.tolist()


def test_a_bit_generator_that_came_in_between_may_have_been_drawn_from(fast):
    fast.seed(KEY)
    before = np.random.get_bit_generator()
    np.random.set_bit_generator(np.random.PCG64(0))
    try:
        assert fast.drawn()
    finally:
        np.random.set_bit_generator(before)


KEYS = [bytes([number]) * 16 for number in range(4)]


class Drawing:
    """A dataset whose samples are what the global generators give."""

    def __init__(self, change_at: int = -1) -> None:
        self.change_at = change_at

    def __getitem__(self, index):
        if index == self.change_at:
            np.random.set_bit_generator(np.random.PCG64(0))
        if index == 9:
            raise KeyError(index)
        return draw(index).tolist()


@pytest.mark.parametrize("kind", ["fast", "slow"])
@pytest.mark.parametrize("change_at", [-1, 1])
def test_every_item_has_its_key(kind, change_at, request):
    generators = request.getfixturevalue(kind)
    dataset = Drawing(change_at)
    before = np.random.get_bit_generator()
    try:
        with generators.isolated():
            found = generators.items(dataset, [3, 1, 2, 0], KEYS)
        np.random.set_bit_generator(before)
        expected = []
        with generators.isolated():
            for index, key in zip([3, 1, 2, 0], KEYS, strict=True):
                generators.seed(key)
                expected.append(dataset[index])
    finally:
        np.random.set_bit_generator(before)
    assert found == expected


@pytest.mark.parametrize("kind", ["fast", "slow"])
def test_an_item_that_fails(kind, request):
    generators = request.getfixturevalue(kind)
    with generators.isolated(), pytest.raises(KeyError):
        generators.items(Drawing(), [0, 9, 1], KEYS[:3])


@pytest.mark.parametrize("kind", ["fast", "slow"])
def test_every_item_needs_a_key(kind, request):
    generators = request.getfixturevalue(kind)
    with generators.isolated(), pytest.raises(ValueError, match=r"needs a key|zip\(\) argument"):
        generators.items(Drawing(), [0, 1], KEYS[:3])


def test_the_layout_of_torchs_state_is_the_known_one():
    assert torch_template() is not None


def test_a_torch_generator_of_ones_own():
    generators = torch.Generator(), torch.Generator().manual_seed(5)
    for generator in generators:
        set_torch_generator(generator, KEY)
    a, b = (torch.rand(700, generator=generator) for generator in generators)
    assert a.tolist() == b.tolist()


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_devices_are_set_and_put_back(fast):
    torch.cuda.init()
    before = torch.cuda.get_rng_state()
    with fast.isolated():
        fast.seed(KEY)
        first = torch.rand(4, device="cuda")
        fast.seed(KEY)
        assert torch.equal(torch.rand(4, device="cuda"), first)
    assert torch.equal(torch.cuda.get_rng_state(), before)
