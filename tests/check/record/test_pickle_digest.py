"""A pickle's digest, taken without loading it."""

from __future__ import annotations

import argparse
import io
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
    monkeypatch.setattr(module, "LONGEST", 10)
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


class Ordered:
    """Pickled as a set or a frozenset whose elements come in this order."""

    def __init__(self, kind, *elements):
        self.kind, self.elements = kind, elements


def _pickled(content, protocol):
    """A pickle, in which what is an `Ordered` is a set in that order."""
    out = io.BytesIO()
    pickler = pickle._Pickler(out, protocol)

    def save(self, one):
        if self.proto < 4:
            self.save_reduce(one.kind, (list(one.elements),), obj=one)
            return
        if one.kind is set:
            self.write(pickle.EMPTY_SET)
            self.memoize(one)
            for begin in range(0, len(one.elements), self._BATCHSIZE):
                self.write(pickle.MARK)
                for element in one.elements[begin : begin + self._BATCHSIZE]:
                    self.save(element)
                self.write(pickle.ADDITEMS)
            return
        self.write(pickle.MARK)
        for element in one.elements:
            self.save(element)
        self.write(pickle.FROZENSET)
        self.memoize(one)

    pickler.dispatch = {**pickler.dispatch, Ordered: save}
    pickler.dump(content)
    return out.getvalue()


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("kind", [set, frozenset])
def test_elements_of_a_set_have_no_order(kind, protocol):
    def digest(content):
        return pickle_digest(_pickled(content, protocol))

    def of(*elements):
        return Ordered(kind, *elements)

    a, b, c = "the a", "the b", "the c"
    expected = pickle.loads(_pickled([of(a, b), 1], protocol))
    assert expected == [kind((a, b)), 1]
    assert digest([of(a, b, c), a]) == digest([of(c, b, a), a])
    assert digest([of(a, b, c), a]) != digest([of(c, b, a), b])
    assert digest([of(a, b), c]) != digest([of(a, c), b])
    assert digest([a, of(a, b), of(b, a)]) == digest([a, of(b, a), of(a, b)])
    assert digest([of(a, b), of(b, c)]) == digest([of(b, a), of(c, b)])
    assert digest([of(a, b), of(b, c)]) != digest([of(b, c), of(a, b)])
    pairs = (a, 1), (a, 2), (b, 1)
    assert digest([of(*pairs), pairs[0]]) == digest([of(*reversed(pairs)), pairs[0]])
    assert digest([of(*pairs), pairs[0]]) != digest([of(*pairs), pairs[1]])
    inner = [frozenset((a,)), frozenset((b,)), frozenset((c,))]
    assert digest(of(*inner)) == digest(of(*reversed(inner)))
    assert digest(of(*inner)) != digest(of(*inner[:2]))
    large = [f"word {n}" for n in range(2500)]
    assert digest([of(*large), a]) == digest([of(*reversed(large)), a])
    assert digest([of(*large), a]) != digest([of(*large[1:], a), a])
    assert digest(of(a, b)) != digest([a, b])
    assert digest([of(), of(a)]) != digest([of(a), of()])


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_other_orders_count_beside_a_set(protocol):
    def digest(content):
        return pickle_digest(pickle.dumps(content, protocol))

    one, two = [1], [1]
    assert digest([{1}, one, one, two]) != digest([{1}, one, two, two])
    assert digest([{1}, [2, 3]]) != digest([{1}, [3, 2]])
    assert digest([set, [2, 3]]) != digest([set, [3, 2]])
    assert digest({1: {"x"}, 2: "y"}) != digest({2: {"x"}, 1: "y"})


def test_objects_that_are_filled_later_keep_their_order():
    held = [argparse.Namespace(a=n) for n in (1, 2)]
    assert pickle_digest(_pickled(Ordered(set, *held), 4)) != pickle_digest(
        _pickled(Ordered(set, *reversed(held)), 4)
    )


def test_no_pickle_breaks_the_digest():
    for content in (b"\x80\x04\x90.", b"\x80\x04(\x91\x94R.", b"\x80\x02c__builtin__\nset\nR."):
        assert pickle_digest(content) != pickle_digest(content + b"\x00")
