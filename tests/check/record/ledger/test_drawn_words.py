"""Words that a run draws letter by letter: names of its own."""

from __future__ import annotations

import random
import string

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
    names = ("choices", "choice", "sample")
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
