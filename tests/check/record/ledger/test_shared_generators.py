"""Generators that several threads draw from in turns."""

from __future__ import annotations

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

MAKERS = {
    "numpy": (lambda: np.random.default_rng(3), lambda own: own.random()),
    "legacy": (lambda: np.random.RandomState(3), lambda own: own.rand()),
    "python": (lambda: random.Random(3), lambda own: own.random()),
    "torch": (
        lambda: torch.Generator().manual_seed(3),
        lambda own: torch.rand(1, generator=own),
    ),
}


def in_turns(order, draw):
    """Threads draw in a fixed order, such as "abba"; each name is one thread."""
    turn = [0]
    changed = threading.Condition()

    def work(name):
        for number, whose in enumerate(order):
            if whose == name:
                with changed:
                    changed.wait_for(lambda number=number: turn[0] == number)
                    draw()
                    turn[0] += 1
                    changed.notify_all()

    threads = [threading.Thread(target=work, args=(name,)) for name in dict.fromkeys(order)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.fixture
def shared(watch):
    """The rows about generators that threads of a recorded function draw from in turns."""

    def rows(fn, level="op"):
        found = watch(fn, level=level).trace.ledger()
        return [row for row in found if row.source == "shared-generator"]

    return rows


@pytest.mark.parametrize("level", ["op", "step"])
@pytest.mark.parametrize("kind", MAKERS)
def test_it_is_noted_at_the_line_that_made_it(shared, kind, level):
    make, draw = MAKERS[kind]

    def run():
        own = make()
        in_turns("aba", lambda: draw(own))

    (row,) = shared(run, level)
    assert (row.event, row.calls, row.amount) == ("draw", 3, 2)
    assert row.site.line == make.__code__.co_firstlineno
    assert row.digest != 0


def test_the_digest_tells_who_drew_after_whom(shared):
    def digest(order):
        def run():
            own = np.random.default_rng(3)
            in_turns(order, own.random)

        (row,) = shared(run)
        return row.digest

    assert digest("abab") == digest("baba")  # the names of threads count for nothing
    assert digest("abab") != digest("abba")
    assert digest("abcacb") != digest("abcabc")


@pytest.mark.parametrize("order", ["aaa", "aabb", "ab"])
def test_threads_that_draw_one_after_the_other_share_nothing(shared, order):
    def run():
        own = np.random.default_rng(3)
        in_turns(order, own.random)

    assert shared(run) == []


def test_the_main_thread_does_not_count(shared):
    def run():
        own = np.random.default_rng(3)
        for _ in range(3):
            own.random()
            in_turns("a", own.random)

    assert shared(run) == []


def test_a_generator_for_each_task_is_none(shared):
    def run():
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda task: np.random.default_rng([3, task]).random(4), range(8)))

    assert shared(run) == []


def test_a_new_seed_begins_anew(shared):
    def run():
        own = random.Random(3)
        in_turns("ab", own.random)
        own.seed(4)
        in_turns("ab", own.random)

    assert shared(run) == []
