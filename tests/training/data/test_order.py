"""Orders: permutations that a key decides, and samplers whose draws are their own."""

from __future__ import annotations

import math

import numpy as np

from samebits.training.data.order import permutation

KEY = bytes(range(16))


def test_every_index_once():
    for length in (0, 1, 2, 1000):
        order = permutation(length, KEY)
        assert order.dtype == np.int64
        assert sorted(order.tolist()) == list(range(length))


def test_the_order_is_that_of_numpys_philox():
    words = np.random.Philox(key=np.frombuffer(KEY, dtype="<u8")).random_raw(100)
    expected = sorted(range(100), key=lambda i: words[i])
    assert permutation(100, KEY).tolist() == expected


def test_equal_words_keep_their_order(monkeypatch):
    class Constant:
        def __init__(self, key) -> None:
            pass

        def random_raw(self, length: int):
            return np.zeros(length, dtype=np.uint64)

    monkeypatch.setattr(np.random, "Philox", Constant)
    assert permutation(500, KEY).tolist() == list(range(500))


def test_all_orders_come_equally_often():
    counts: dict[tuple[int, ...], int] = {}
    trials = 6000
    for number in range(trials):
        order = tuple(permutation(3, number.to_bytes(16, "little")).tolist())
        counts[order] = counts.get(order, 0) + 1
    expected = trials / math.factorial(3)
    chi_squared = sum((count - expected) ** 2 / expected for count in counts.values())
    assert len(counts) == 6
    assert chi_squared < 20.5  # one in a thousand, 5 degrees of freedom; the keys are fixed
