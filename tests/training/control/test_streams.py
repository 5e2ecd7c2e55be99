from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from samebits.errors import UsageError
from samebits.training.control.streams import SEED_LIMIT, Streams, seed_bits, seed_sequence

SEEDS = st.integers(0, SEED_LIMIT - 1)
# Every string of Python, lone surrogates included: names come from anywhere.
NAMES = st.text(min_size=1, alphabet=st.characters())
RANKS = st.none() | st.integers(0, 2**20)
KEYS = st.tuples(st.sampled_from(["numpy", "torch", "python"]), NAMES, RANKS)

PINNED = {
    "numpy": 6074437203469459039,
    "python": 7231182777643531346,
    "torch": 10484370352459771243,
}


@given(SEEDS, st.lists(KEYS, min_size=2, max_size=20, unique=True))
def test_no_two_streams_collide(seed: int, keys: list[tuple[str, str, int | None]]) -> None:
    assert len({seed_bits(seed_sequence(seed, *key), 128) for key in keys}) == len(keys)


@given(SEEDS, NAMES, NAMES)
def test_moving_a_letter_from_kind_to_name_is_another_stream(
    seed: int, left: str, right: str
) -> None:
    whole = seed_sequence(seed, left + right, "x", None)
    moved = seed_sequence(seed, left, right + "x", None)
    assert seed_bits(whole, 128) != seed_bits(moved, 128)


@given(SEEDS, NAMES, st.lists(st.integers(0, 10_000), min_size=2, max_size=8, unique=True))
def test_ranks_differ_in_every_kind(seed: int, name: str, ranks: list[int]) -> None:
    all_ranks = [Streams(seed, rank=rank) for rank in (None, *ranks)]
    for draw in (
        lambda s: int(s.numpy(name).integers(2**63)),
        lambda s: s.python(name).getrandbits(64),
        lambda s: s.torch(name).initial_seed(),
    ):
        assert len({draw(streams) for streams in all_ranks}) == len(all_ranks)


@given(st.lists(SEEDS, min_size=2, max_size=8, unique=True))
def test_seeds_differ(seeds: list[int]) -> None:
    assert len({Streams(seed).numpy("a").bytes(16) for seed in seeds}) == len(seeds)


@given(SEEDS, NAMES)
@settings(max_examples=25)
def test_same_seed_same_numbers_whatever_else_was_asked_for(seed: int, name: str) -> None:
    one, other = Streams(seed), Streams(seed)
    other.numpy(name + "x").random()
    other.python(name).random()
    assert one.numpy(name).bytes(32) == other.numpy(name).bytes(32)
    draws = [torch.rand(4, generator=s.torch(name)) for s in (one, other)]
    assert torch.equal(*draws)


def test_numbers_are_the_same_in_every_release() -> None:
    """Pinned: a change of the derivation would silently change every user's numbers."""
    streams = Streams(42, rank=3)
    assert int(streams.numpy("augment").integers(2**63)) == PINNED["numpy"]
    assert streams.python("augment").getrandbits(64) == PINNED["python"]
    assert streams.torch("augment").initial_seed() == PINNED["torch"]


def test_a_name_is_one_generator_that_goes_on() -> None:
    streams = Streams(0)
    assert streams.numpy("a") is streams.numpy("a")
    assert streams.python("a") is streams.python("a")
    assert streams.torch("a", "cpu") is streams.torch("a", torch.device("cpu"))
    assert streams.numpy("a").random() != streams.numpy("a").random()


def test_a_meta_device_is_no_obstacle_for_the_others() -> None:
    streams = Streams(0)
    with pytest.raises(RuntimeError):
        streams.torch("a", "meta")
    assert streams.torch("a").device == torch.device("cpu")


def test_sequence_seeds_other_libraries() -> None:
    a, b = Streams(1).sequence("jax", "init"), Streams(1).sequence("jax", "dropout")
    assert a.generate_state(2).tolist() != b.generate_state(2).tolist()


@pytest.mark.parametrize("seed", [-1, SEED_LIMIT, 1.0, "0", None, True, np.float64(3)])
def test_bad_seeds_are_named(seed: object) -> None:
    with pytest.raises(UsageError, match="seed must"):
        Streams(seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("rank", [-1, 0.5, "0", False])
def test_bad_ranks_are_named(rank: object) -> None:
    with pytest.raises(UsageError, match="rank must"):
        Streams(0, rank=rank)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", None, 3, ["a"]])
def test_bad_names_are_named(name: object) -> None:
    streams = Streams(0)
    for make in (streams.numpy, streams.torch, streams.python):
        with pytest.raises(UsageError, match="stream's name"):
            make(name)  # type: ignore[arg-type]


def test_numpy_integers_are_seeds() -> None:
    assert repr(Streams(np.uint64(7), rank=np.int32(1))) == "Streams(7, rank=1)"  # type: ignore[arg-type]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_stream_repeats() -> None:
    draws = [
        torch.rand(8, device="cuda", generator=Streams(5).torch("a", "cuda")) for _ in range(2)
    ]
    assert torch.equal(*draws)
