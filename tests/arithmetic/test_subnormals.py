"""Subnormal numbers are kept on every thread that computes, torch's own included."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch.utils._python_dispatch import _disable_current_modes

import samebits
from samebits.arithmetic import _exact

COUNT = 200_000


@pytest.fixture
def flushing() -> Iterator[torch.Tensor]:
    """The process flushes, and so do the three threads that torch has; subnormal numbers."""
    if not torch.set_flush_denormal(True):
        pytest.skip("this processor cannot flush subnormal numbers")
    numbers = torch.full((COUNT,), 1, dtype=torch.int32).view(torch.float32)
    torch.set_num_threads(3)
    torch.ones(COUNT).neg()  # torch has its threads now
    own = _exact.make_team_plain()[0]
    _exact.restore_team([own] * 3)
    yield numbers
    torch.set_flush_denormal(False)
    torch.set_num_threads(7)
    _exact.make_team_plain()


def positive(numbers: torch.Tensor) -> int:
    """How many numbers torch itself takes for positive."""
    return int((numbers > 0).sum())


def test_threads_that_were_born_before_the_block_keep_them(flushing):
    assert positive(flushing) == 0
    with samebits.exact():
        for threads in (3, 1, 2, 7):
            torch.set_num_threads(threads)
            assert positive(flushing) == COUNT, threads
    torch.set_num_threads(3)
    assert positive(flushing) == 0  # and has its way back


def test_threads_that_flush_where_the_caller_does_not_keep_them(flushing):
    torch.set_flush_denormal(False)
    assert 0 < positive(flushing) < COUNT
    with samebits.exact():
        assert positive(flushing) == COUNT
    assert 0 < positive(flushing) < COUNT


def test_what_is_set_inside_holds_after_the_block():
    if not torch.set_flush_denormal(False):
        pytest.skip("this processor cannot flush subnormal numbers")
    number = torch.ones(1, dtype=torch.int32).view(torch.float32)
    try:
        with samebits.exact():
            with samebits.exact():
                assert torch.set_flush_denormal(True)
                assert positive(number) == 1
            assert positive(number) == 1
        assert positive(number) == 0
        with samebits.exact():
            torch.set_flush_denormal(False)
        assert positive(number) == 1
    finally:
        torch.set_flush_denormal(False)


def test_what_is_set_past_us_is_put_right():
    if not torch.set_flush_denormal(False):
        pytest.skip("this processor cannot flush subnormal numbers")
    number = torch.ones(1, dtype=torch.int32).view(torch.float32)
    past_us = torch.set_flush_denormal
    try:
        with samebits.exact():
            past_us(True)
            assert positive(number) == 1
    finally:
        torch.set_flush_denormal(False)


def test_threads_that_were_born_while_the_script_flushed_inside_keep_them():
    if not torch.set_flush_denormal(False):
        pytest.skip("this processor cannot flush subnormal numbers")
    numbers = torch.full((COUNT,), 1, dtype=torch.int32).view(torch.float32)
    past_us = torch.set_flush_denormal
    torch.set_num_threads(2)
    torch.ones(COUNT).neg()
    try:
        with samebits.exact():
            for threads in (5, 3, 5):
                torch.set_num_threads(threads)
                past_us(True)
                with _disable_current_modes():
                    torch.ones(COUNT).neg()  # more threads are born, unseen, and flush
                past_us(False)
                assert positive(numbers) == COUNT, threads
                torch.set_num_threads(2)
                assert positive(numbers) == COUNT
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(7)
        _exact.make_team_plain()


def test_states_are_known_by_thread(flushing):
    states = _exact.make_team_plain()
    try:
        assert len(states) == 3
        assert len(set(states)) == 1
        assert len(set(_exact.make_team_plain())) == 1
        assert set(_exact.make_team_plain()) != set(states)
        assert positive(flushing) == COUNT
    finally:
        _exact.restore_team(states)
    assert positive(flushing) == 0
