"""Tensors are followed from the operation that made them to those that were given them."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import load_file

from samebits.check.diff.followed import followed_tensors, row_distances
from samebits.check.record.followed import FollowedTensors
from samebits.check.trace.followed_format import samples_file
from samebits.core.fingerprint.tensor import fingerprint_tensor

ATEN = torch.ops.aten


class Following:
    """Calls operations as the recorder does: what they are given is noted before they run."""

    def __init__(self, file):
        self.tensors = FollowedTensors(file)
        self.rows = 0

    def __call__(self, op, *args, writes=(), **kwargs):
        given = self.tensors.given(op, args, kwargs)
        result = op(*args, **kwargs)
        self.tensors.gave(self.rows, given, result, [args[place] for place in writes])
        self.rows += 1
        return result


def makers(file):
    return {
        row: [tensors[place].makers for place in sorted(tensors)]
        for row, tensors in followed_tensors(file).items()
    }


def test_an_input_is_known_by_the_operation_that_made_it(tmp_path):
    call = Following(tmp_path / "notes.arrow")
    outside = torch.ones(2, 2)
    one = call(ATEN.relu.default, outside)
    two = call(ATEN.neg.default, one)
    call(ATEN.add.Tensor, one, two)
    call.tensors.close()
    assert makers(tmp_path / "notes.arrow") == {0: [()], 1: [(0,)], 2: [(0,), (1,)]}
    noted = followed_tensors(tmp_path / "notes.arrow")[2][1]
    assert (noted.digest, noted.signature) == (fingerprint_tensor(two), "float32[2, 2]")


def test_a_view_is_made_by_what_made_its_memory(tmp_path):
    call = Following(tmp_path / "notes.arrow")
    one = call(ATEN.relu.default, torch.ones(2, 2))
    turned = call(ATEN.t.default, one)
    call(ATEN.neg.default, turned)
    call.tensors.close()
    assert makers(tmp_path / "notes.arrow") == {0: [()], 1: [(0,)], 2: [(0,)]}


def test_a_tensor_that_was_written_in_parts_has_several_makers(tmp_path):
    call = Following(tmp_path / "notes.arrow")
    whole = torch.zeros(4)
    call(ATEN.add_.Tensor, whole[:2], 1, writes=(0,))
    call(ATEN.add_.Tensor, whole[2:], 1, writes=(0,))
    call(ATEN.neg.default, whole)
    call(ATEN.neg.default, whole[3:])
    call(ATEN.mul_.Tensor, whole, 2, writes=(0,))  # writes over both
    call(ATEN.neg.default, whole)
    call.tensors.close()
    assert makers(tmp_path / "notes.arrow") == {
        0: [()], 1: [()], 2: [(0, 1)], 3: [(1,)], 4: [(0, 1)], 5: [(4,)],
    }  # fmt: skip


def test_what_is_overwritten_is_no_input(tmp_path):
    call = Following(tmp_path / "notes.arrow")
    one = call(ATEN.relu.default, torch.ones(2))
    call(ATEN.copy_.default, one, torch.zeros(2), writes=(0,))
    call(ATEN.neg.out, one, out=one)
    call.tensors.close()
    assert makers(tmp_path / "notes.arrow") == {0: [()], 1: [()], 2: [(1,)]}


def test_memory_that_is_used_again_belongs_to_its_new_tensor(tmp_path):
    call = Following(tmp_path / "notes.arrow")
    for _ in range(50):
        call(ATEN.relu.default, torch.ones(1000))  # each result is let go at once
        call(ATEN.neg.default, torch.ones(1000))  # and memory from outside may lie there
    call.tensors.close()
    assert set(map(tuple, makers(tmp_path / "notes.arrow").values())) == {((),)}


def test_tensors_in_lists_are_followed_too(tmp_path):
    call = Following(tmp_path / "notes.arrow")
    parts = call(ATEN.split.Tensor, call(ATEN.relu.default, torch.ones(4)), 2)
    call(ATEN.cat.default, [parts[0], torch.ones(1), parts[1]])
    call.tensors.close()
    assert makers(tmp_path / "notes.arrow")[2] == [(0,), (), (0,)]


def test_distances_are_those_of_results_of_the_same_operation(tmp_path):
    files = [tmp_path / "a.arrow", tmp_path / "b.arrow"]
    for first, file in enumerate(files):
        call = Following(file)
        call.rows = first  # a row that only run B has
        value = torch.ones(3)
        value[1] += first * 2**-23
        call(ATEN.clone.default, value)
        call(ATEN.gt.Scalar, value, 0)
        call(ATEN.relu.default, torch.ones(3))
        call.tensors.close()
    found = list(row_distances(*files, {0: 1, 1: 2, 2: 3}))
    assert found == [(0, 1, 2**-23 / (1 + 2**-23))]


@pytest.mark.parametrize("turned", [False, True])
def test_of_a_large_result_a_few_elements_are_kept(tmp_path, turned):
    call = Following(tmp_path / "notes.arrow")
    value = torch.arange(3.0 * 5000).view(5000, 3)
    call(ATEN.clone.default, value.T if turned else value)
    call.tensors.close()
    (kept,) = load_file(samples_file(tmp_path / "notes.arrow")).values()
    assert kept.tolist() == (value.T if turned else value).reshape(-1)[::4].tolist()


def test_after_its_end_nothing_is_followed(tmp_path):
    call = Following(tmp_path / "notes.arrow")
    call.tensors.close()
    call.tensors.close()
    assert call.tensors.given(ATEN.relu.default, (torch.ones(1),), {}) is None
    assert makers(tmp_path / "notes.arrow") == {}


def test_notes_that_cannot_be_written_are_left_out(tmp_path):
    call = Following(tmp_path / "gone" / "notes.arrow")
    call(ATEN.relu.default, torch.ones(1))
    call.tensors.close()
    assert list(tmp_path.iterdir()) == []
