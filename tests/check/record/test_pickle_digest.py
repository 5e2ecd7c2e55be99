"""A pickle's digest, taken without loading it."""

from __future__ import annotations

import pickle

import pytest
import torch

from samebits.check.record.processes import pickle_digest as module
from samebits.check.record.processes.pickle_digest import pickle_digest


class Executed:
    """Would fail where it is loaded."""

    def __reduce__(self):
        return (pytest.fail, ("it was loaded",))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_times_in_strings_do_not_count(protocol):
    def digest(value):
        return pickle_digest(pickle.dumps(value, protocol))

    assert digest({"log": "took 3.1s"}) == digest({"log": "took 12.95s"})
    assert digest({"log": "took 3.1s"}) != digest({"log": "lost 3.1"})
    assert digest({"time": 3.1}) != digest({"time": 3.2})
    assert digest(["a", "b"]) != digest(["b", "a"])


def test_a_tensor_in_a_pickle_goes_by_what_it_holds():
    """What it is called there is where its memory lay."""
    held = [torch.tensor([1.0, 2.0, last]) for last in (3.0, 3.0, 4.0)]
    same, again, other = (pickle.dumps({"w": tensor}) for tensor in held)
    assert same != again
    assert pickle_digest(same) == pickle_digest(again)
    assert pickle_digest(same) != pickle_digest(other)


def test_what_is_large_is_read_as_long_as_it_is_few_instructions(monkeypatch):
    tensors = [pickle.dumps({"w": torch.zeros(2_000_000)}) for _ in range(2)]
    assert pickle_digest(tensors[0]) == pickle_digest(tensors[1])
    monkeypatch.setattr(module, "_MOST_INSTRUCTIONS", 3)
    times = [pickle.dumps({"log": f"took {seconds} s"}) for seconds in (3.1, 3.2)]
    assert pickle_digest(times[0]) != pickle_digest(times[1])


def test_nothing_is_loaded():
    assert pickle_digest(pickle.dumps(Executed()))


def test_what_is_no_pickle_counts_as_it_is(monkeypatch):
    whole = pickle.dumps({"log": "took 3.1s"}), pickle.dumps({"log": "took 3.2s"})
    assert pickle_digest(whole[0]) == pickle_digest(whole[1])
    cut = [content[:-1] for content in whole]
    assert pickle_digest(cut[0]) != pickle_digest(cut[1])
    assert pickle_digest(b"took 3.1s") != pickle_digest(b"took 3.2s")
    assert pickle_digest(b"") == pickle_digest(b"")
    large = [b"I" + b"1" * 9000 + number + b"\n." for number in (b"1", b"2")]
    assert pickle_digest(large[0]) != pickle_digest(large[1])
    monkeypatch.setattr(module, "_LONGEST", 10)
    assert pickle_digest(whole[0]) != pickle_digest(whole[1])


def test_all_of_a_file_counts():
    """Several `pickle.dump` into one file, and raw memory behind a header."""
    header, same, other = (pickle.dumps(value) for value in ("header", 0.25, 0.26))
    assert pickle_digest(header + same) == pickle_digest(header + same)
    assert pickle_digest(header + same) != pickle_digest(header + other)
    assert pickle_digest(header) != pickle_digest(header + same)
    assert pickle_digest(header + b"\x01\x02") != pickle_digest(header + b"\x01\x03")
    times = [pickle.dumps(f"took {seconds} s") for seconds in (3.1, 3.2)]
    assert pickle_digest(header + times[0]) == pickle_digest(header + times[1])
