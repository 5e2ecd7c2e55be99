"""What an operation gave is kept bit for bit, in a file that safetensors reads."""

from __future__ import annotations

import pytest
import torch
from safetensors.torch import load_file

from samebits.check.diff.tensor_views import tensors_in
from samebits.check.record.capture import save_outputs

DTYPES = [
    *(torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64),
    *(torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64),
]


def bits(tensor):
    return torch.stack([tensor]).reshape(-1).view(torch.uint8).tolist()  # in memory of its own


@pytest.fixture
def kept(tmp_path):
    """What safetensors reads of what was kept."""

    def keep(result, written=()):
        save_outputs(result, list(written), tmp_path / "kept")
        tensors_in(tmp_path / "kept")  # what reads it here agrees
        return load_file(tmp_path / "kept")

    return keep


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (2, 3)], ids=str)
def test_every_dtype_and_shape(kept, dtype, shape):
    tensor = torch.full(shape, -3).to(dtype)
    (found,) = kept(tensor).values()
    assert (found.dtype, found.shape, bits(found)) == (dtype, tensor.shape, bits(tensor))


def test_several_of_different_widths_are_in_order(kept):
    given = [torch.tensor([True, False, True]), torch.rand(3, dtype=torch.float64), torch.ones(1)]
    found = kept((given[0], [given[1]]), written=[given[2]])
    assert list(map(bits, (found[f"000{n}"] for n in range(3)))) == [
        bits(tensor) for tensor in (given[2], given[0], given[1])
    ]


@pytest.mark.parametrize(
    "view",
    [
        lambda: torch.arange(12.0).reshape(3, 4).t(),
        lambda: torch.arange(12.0)[::2],
        lambda: torch.tensor([1 + 2j]).conj(),
        lambda: torch.tensor([1 + 2j]).conj().imag,
        lambda: torch.ones(2, requires_grad=True),
        lambda: torch.arange(12.0).expand(3, 12),
    ],
)
def test_views_are_kept_as_what_they_show(kept, view):
    (found,) = kept(view()).values()
    shown = view().detach().resolve_conj().resolve_neg()
    assert (found.shape, bits(found)) == (shown.shape, bits(shown))


def test_two_views_of_one_memory(kept):
    whole = torch.arange(4.0)
    found = kept((whole, whole[1:]))
    assert found["0001"].tolist() == [1.0, 2.0, 3.0]


def test_what_cannot_be_stored_is_left_out(kept):
    assert kept((torch.eye(2).to_sparse(), torch.ones(1), "text", None)).keys() == {"0000"}
