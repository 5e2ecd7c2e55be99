"""Words that a run draws letter by letter: names of its own."""

from __future__ import annotations

import random
import string

import numpy as np
import pytest

from .conftest import watching


@pytest.fixture
def words(ledger):
    """What a function draws while a ledger watches."""

    def noted(draw):
        draw()
        return [*ledger.words, *filter(None, [ledger.spelt])]

    return noted


@pytest.mark.parametrize(
    "draw",
    [
        lambda: "".join(random.choices("bcdfghjklmnp", k=6)),
        lambda: "".join(random.choices(population=string.hexdigits, k=6)),
        lambda: "".join(random.sample(string.ascii_letters, 6)),
        lambda: "".join(random.choice(string.ascii_lowercase) for _ in range(6)),
        lambda: "".join(random.Random().choices(string.ascii_lowercase, k=6)),
        lambda: "".join(random.SystemRandom().choices(string.ascii_lowercase, k=6)),
    ],
    ids=["choices", "by name", "sample", "one by one", "another generator", "the system's"],
)
def test_words_are_noted(words, draw):
    drawn = []
    assert words(lambda: drawn.append(draw())) == drawn
    assert len(drawn[0]) == 6


@pytest.mark.parametrize(
    "draw",
    [
        lambda: random.choices("ACGT", k=8),
        lambda: random.choices("0123456789", k=8),
        lambda: random.choices(string.ascii_lowercase, range(1, 27), k=8),
        lambda: random.choices(string.ascii_lowercase, weights=[1] * 26, k=8),
        lambda: random.choices(string.ascii_lowercase, k=40),
        lambda: [random.choices(string.ascii_lowercase, k=8) for _ in range(9)],
        lambda: random.choices(["warm", "cold"], k=8),
        lambda: [random.choice(string.ascii_lowercase) for _ in range(80)],
        lambda: "".join(random.Random(3).choices(string.ascii_lowercase, k=6)),
        lambda: "".join(random.choices("ACDEFGHIKLMNPQRSTVWY", k=8)),
        lambda: random.choices(string.ascii_lowercase * 9, k=8),
    ],
    ids=[
        *("bases", "digits", "weights by place", "weights", "a text", "many", "words"),
        *("many letters", "seeded", "a protein", "a text to draw from"),
    ],
)
def test_what_may_be_a_result_is_not(words, draw):
    assert words(draw) == []


def test_nothing_is_left_of_it():
    names = ("choices", "choice", "sample", "randrange")
    before = [(vars(random)[name], vars(random.Random)[name]) for name in names]
    with watching() as ledger:
        random.choices(string.ascii_lowercase, k=6)
        noted = ledger.words
    random.choices(string.ascii_lowercase, k=6)
    assert len(noted) == 1
    assert ledger.words == noted
    assert [(vars(random)[name], vars(random.Random)[name]) for name in names] == before


def test_what_a_seed_gives_is_no_name_of_one_run_alone(words):
    def draw():
        random.seed(5)
        random.choices(string.ascii_lowercase, k=6)

    assert words(draw) == []


def test_letters_of_several_names_stand_one_after_another(ledger):
    names = ["".join(random.choice(string.ascii_lowercase) for _ in range(6)) for _ in "ab"]
    assert ledger.words == ()
    assert ledger.spelt == "".join(names)


def test_the_generator_goes_on_as_ever(words):
    drawn = []

    def draw():
        random.seed(5)
        drawn.append((random.choice("abc"), random.choices("abcdefghijkl", k=4), random.random()))

    draw()
    words(draw)
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    "draw",
    [
        lambda: (random.choice(["amber", "dusk"]), random.randint(100, 999)),
        lambda: (*random.sample(["amber", "dusk"], 2), random.randrange(1000)),
        lambda: (*random.choices(["amber", "dusk"], k=2), random.SystemRandom().randrange(1000)),
        lambda: (np.random.choice(["amber", "dusk"]), np.random.randint(1000)),
        lambda: (*(rng := np.random.default_rng()).choice(["a", "b"], 2), rng.integers(1000)),
        lambda: [
            (rng := np.random.default_rng(np.random.SeedSequence().entropy)).choice(["a", "b"]),
            rng.integers(1000),
        ],
    ],
    ids=["randint", "sample", "the system's", "numpy", "a generator", "a seed of the system"],
)
def test_what_a_name_is_put_together_of_is_noted(ledger, draw):
    drawn = [str(one) for one in draw()]
    assert list(ledger.chosen) == drawn


def test_what_the_system_gave_to_a_sequence_is_noted(ledger):
    entropy = np.random.SeedSequence().entropy
    assert [int(digits, 16) for digits in ledger.drawn] == [entropy]
    np.random.SeedSequence(3)
    assert len(ledger.drawn) == 1


@pytest.mark.parametrize(
    "draw",
    [
        lambda: random.Random(3).choice(["amber", "dusk"]),
        lambda: np.random.default_rng(3).choice(["amber", "dusk"]),
        lambda: np.random.default_rng(np.random.SeedSequence(3)).integers(5),
        lambda: [random.choice(["amber", "dusk"]) for _ in range(17)],
        lambda: np.random.default_rng().normal(),
        lambda: np.random.default_rng(np.random.SeedSequence(3).entropy).integers(5),
        lambda: random.choice([3.5, 4.5]),
        lambda: random.Random(3).randint(1, 6),
    ],
    ids=[
        *("seeded", "numpy, seeded", "a sequence", "many", "a number with a fraction"),
        *("entropy that was given", "fractions", "a whole number, seeded"),
    ],
)
def test_what_is_no_part_of_a_name_is_not(ledger, draw):
    draw()
    assert ledger.chosen == ()
