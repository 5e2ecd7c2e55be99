"""NumPy's generators: which were seeded, and what they drew."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.model_selection import train_test_split


def test_the_shared_generator(count):
    def draw():
        np.random.rand(3)
        np.random.seed(0)
        np.random.normal(size=(4, 5))
        np.random.shuffle(np.arange(10))
        np.random.randint(5)

    counted = count(draw)
    assert [(row.detail, row.amount, row.seeded) for row in counted.of("numpy", "draw")] == [
        ("numpy.random.rand", 3, 0),
        ("numpy.random.normal", 20, 1),
        ("numpy.random.shuffle", 10, 1),
        ("numpy.random.randint", 1, 1),
    ]
    assert counted.only("numpy", "seed").seeded == 1


@pytest.mark.parametrize(
    ("make", "detail", "seeded"),
    [
        (lambda: np.random.default_rng(), "numpy.random.default_rng", 0),
        (lambda: np.random.default_rng(None), "numpy.random.default_rng", 0),
        (lambda: np.random.default_rng(3), "numpy.random.default_rng", 1),
        (lambda: np.random.default_rng([1, 2]), "numpy.random.default_rng", 1),
        (lambda: np.random.default_rng(seed=3), "numpy.random.default_rng", 1),
        (lambda: np.random.Generator(np.random.PCG64()), "numpy.random.PCG64", 0),
        (lambda: np.random.Generator(np.random.PCG64(1)), "numpy.random.PCG64", 1),
        (lambda: np.random.Generator(np.random.Philox(key=1)), "numpy.random.Philox", 1),
        (lambda: np.random.Generator(np.random.SFC64(seed=1)), "numpy.random.SFC64", 1),
    ],
)
def test_generators(count, make, detail, seeded):
    counted = count(lambda: make().normal(size=7))
    made = counted.only("numpy-generator", "construct")
    drawn = counted.only("numpy-generator", "draw")
    assert (made.detail, made.seeded) == (detail, seeded)
    assert (drawn.detail, drawn.amount) == ("numpy.random.Generator.normal", 7)
    assert drawn.seeded == seeded
    assert counted.of("urandom") == []  # it is the generator's own doing


@pytest.mark.parametrize(("seed", "seeded"), [(None, 0), (4, 1)])
def test_legacy_generators(count, seed, seeded):
    counted = count(lambda: np.random.RandomState(seed).rand(2))
    assert counted.only("numpy", "construct").seeded == seeded
    assert counted.only("numpy", "draw").detail == "numpy.random.RandomState.rand"
    assert counted.only("numpy", "draw").seeded == seeded


def test_a_generator_of_a_sequence_is_as_seeded_as_that(count):
    for entropy, seeded in ((None, 0), (5, 1)):

        def draw(entropy=entropy):
            sequence = np.random.SeedSequence(entropy)
            np.random.default_rng(sequence).random()

        assert count(draw).only("numpy-generator", "draw").seeded == seeded


def test_what_is_unpickled_or_copied_keeps_its_state(count):
    content = pickle.dumps(np.random.default_rng(3))

    def draw():
        pickle.loads(content).random()
        copy.deepcopy(np.random.RandomState(3)).rand()

    counted = count(draw)
    assert [row.seeded for row in counted.rows if row.event == "draw"] == [1, 1]
    assert [row.seeded for row in counted.rows if row.event == "construct"] == [1]


def test_a_state_that_is_set_is_a_seed(count):
    def draw():
        generator = np.random.default_rng()
        generator.bit_generator.state = np.random.PCG64(1).state
        generator.random()
        np.random.set_state(np.random.RandomState(1).get_state())
        np.random.rand()

    counted = count(draw)
    assert counted.only("numpy-generator", "draw").seeded == 1
    assert counted.only("numpy", "draw").seeded == 1


def test_a_state_that_is_put_back_is_no_seed_where_there_was_none(count):
    def draw():
        np.random.set_state(np.random.get_state())
        np.random.rand()

    assert count(draw).only("numpy", "draw").seeded == 0


def test_a_generator_that_is_handed_on_is_not_made_again(count):
    def draw():
        generator = np.random.default_rng(1)
        np.random.default_rng(generator).random()

    assert count(draw).only("numpy-generator", "construct").calls == 1


def test_a_draw_is_named_by_the_function_that_a_decorator_wraps(count):
    rows = [[n] for n in range(10)]
    train_test_split(rows)  # what is drawn while it is imported is no matter here
    row = count(lambda: train_test_split(rows)).only("numpy", "draw")
    assert row.detail == "sklearn.model_selection._split.train_test_split"
