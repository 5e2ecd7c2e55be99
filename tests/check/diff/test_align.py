from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samebits.check.diff.align import Alignment, align_keys

KEYS = st.lists(st.integers(0, 5), max_size=40)


def longest_common(a: list[int], b: list[int]) -> int:
    """Length of the longest common subsequence, by the textbook table."""
    above = [0] * (len(b) + 1)
    for key in a:
        row = [0]
        for j, other in enumerate(b):
            row.append(above[j] + 1 if key == other else max(above[j + 1], row[j]))
        above = row
    return above[-1]


def check_valid(alignment: Alignment, a: list[int], b: list[int]) -> None:
    end = (0, 0)
    for i, j, length in alignment.blocks.tolist():
        assert length > 0
        assert i >= end[0]
        assert j >= end[1]
        assert a[i : i + length] == b[j : j + length]
        assert len(a[i : i + length]) == length
        assert (i, j) != end or end == (0, 0), "two blocks touch"
        end = (i + length, j + length)


def align(a: list[int], b: list[int], max_edits: int = 4096) -> Alignment:
    return align_keys(np.array(a, np.uint64), np.array(b, np.uint64), max_edits=max_edits)


@settings(max_examples=400, derandomize=True, deadline=None)
@given(KEYS, KEYS, st.sampled_from([0, 1, 3, 10, 4096]))
def test_unlike_sequences_align_as_the_reference_says(a, b, max_edits):
    alignment = align(a, b, max_edits)
    check_valid(alignment, a, b)
    best = longest_common(a, b)
    if len(a) + len(b) - 2 * best <= max_edits:
        assert alignment.minimal
    if alignment.minimal:
        assert alignment.matched == best
    assert alignment.matched <= best


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.data())
def test_edited_sequences_align_as_the_reference_says(data):
    a = data.draw(st.lists(st.integers(0, 20), max_size=60))
    b = list(a)
    for _ in range(data.draw(st.integers(0, 8))):
        at = data.draw(st.integers(0, len(b)))
        if data.draw(st.booleans()):
            b.insert(at, data.draw(st.integers(0, 20)))
        else:
            del b[at : at + 1]
    alignment = align(a, b)
    check_valid(alignment, a, b)
    assert alignment.minimal
    assert alignment.matched == longest_common(a, b)


@pytest.mark.parametrize("rows", [0, 1, 1000])
def test_the_same_sequence_is_one_block(rows):
    alignment = align(list(range(rows)), list(range(rows)))
    assert alignment.blocks.tolist() == ([[0, 0, rows]] if rows else [])
    assert alignment.first_gap() is None
    assert alignment.common_start == rows


def test_an_insertion_is_the_first_gap():
    alignment = align([1, 2, 3, 4], [1, 2, 9, 9, 3, 4])
    assert alignment.first_gap() == (range(2, 2), range(2, 4))
    assert alignment.unmatched == (0, 2)


def test_a_gap_at_the_start_and_at_the_end():
    assert align([7, 1, 2], [1, 2]).first_gap() == (range(1), range(0))
    assert align([1, 2], [1, 2, 7]).first_gap() == (range(2, 2), range(2, 3))
    assert align([], [1]).first_gap() == (range(0), range(1))


def test_a_repeated_pattern_with_many_edits():
    """A training loop: the same keys every step, and one more operation in every tenth."""
    step = list(range(50))
    a = step * 1000
    b = []
    for number in range(1000):
        b += step[:25] + ([99] if number % 10 == 0 else []) + step[25:]
    alignment = align(a, b)
    check_valid(alignment, a, b)
    assert alignment.minimal
    assert alignment.unmatched == (0, 100)


@pytest.mark.parametrize(
    "pair",
    ["disjoint", "shuffled", "two-letters", "permuted", "reversed", "rotated"],
)
def test_unlike_long_sequences_end_with_a_valid_alignment(pair):
    random = np.random.default_rng(0)
    rows = 20_000
    a = np.arange(rows)
    b = {
        "disjoint": a + rows,
        "shuffled": random.integers(0, 300, rows),
        "two-letters": random.integers(0, 2, rows),
        "permuted": random.permutation(rows),
        "reversed": a[::-1],
        "rotated": np.roll(a, 7000),
    }[pair]
    if pair in ("shuffled", "two-letters"):
        a = random.integers(0, b.max() + 1, rows)
    alignment = align(a.tolist(), b.tolist(), max_edits=100)
    check_valid(alignment, a.tolist(), b.tolist())
    expected = {"disjoint": 0, "reversed": 1, "rotated": 13_000}.get(pair)
    assert expected is None or alignment.matched == expected
