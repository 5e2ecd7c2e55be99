from __future__ import annotations

import pytest

from samebits.core.catalog.cuda_outlook import OutlookContext, Output, meets_on_cuda, outputs_of

NEW = OutlookContext(torch="2.13.0+cpu")


def mode(op, signature, phase="forward", surroundings=NEW, forward=()):
    entry = meets_on_cuda(
        op, phase, signature, surroundings=surroundings, forward=lambda wanted: forward
    )
    return None if entry is None else entry.mode


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("float32[2, 3]; int64[2]", [Output("float32", 2), Output("int64", 1)]),
        ("float8_e4m3fn[]", [Output("float8_e4m3fn", 0)]),
        ("tensor; bool[0]", [Output("", None), Output("bool", 1)]),
        ("", []),
        ("\x1b[31m; [; ]", [Output("", None)] * 3),
    ],
)
def test_signatures_are_read(signature, expected):
    assert outputs_of(signature) == expected


@pytest.mark.parametrize(
    ("op", "phase", "signature", "expected"),
    [
        ("aten.upsample_bicubic2d_backward", "backward", "float32[1, 2, 4, 4]", "raises"),
        ("aten.upsample_linear1d_backward", "backward", "float32[1, 2, 4]", "raises"),
        ("aten.upsample_bilinear2d_backward", "backward", "float32[1, 2, 4, 4]", "switches"),
        ("aten.upsample_nearest2d_backward", "backward", "float32[1, 2, 4, 4]", None),
        ("aten.upsample_bicubic2d", "forward", "float32[1, 2, 8, 8]", None),
        ("aten.cumsum", "forward", "float32[4]", "switches"),
        ("aten.cumsum", "forward", "complex64[4]", "switches"),
        ("aten.cumsum", "forward", "int64[4]", None),
        ("aten.histc", "forward", "bfloat16[10]", "raises"),
        ("aten.histc", "forward", "int32[10]", None),
        ("aten.histc", "forward", "tensor", "raises"),
        ("aten.bincount", "forward", "int64[4]", None),
        ("aten.bincount", "forward", "float64[4]", "raises"),
        ("aten.nll_loss2d_forward", "forward", "float32[]; float32[]", "raises"),
        ("aten.nll_loss2d_forward", "forward", "float32[1, 2, 2]; float32[]", None),
        ("aten.nll_loss_forward", "forward", "float32[]; float32[]", None),
        ("aten.scatter.src", "forward", "float32[4]", "switches"),
        ("aten.scatter.value", "forward", "float32[4]", None),
        ("aten.scatter_.reduce", "forward", "float32[4]", "switches"),
        ("aten.scatter_.reduce", "forward", "int64[4]", "raises"),
        ("aten.scatter_add", "backward", "float32[4]", "switches"),
        ("aten.scatter_reduce_.two", "forward", "float32[4]", "switches"),
        ("aten.index_put_", "forward", "float32[4]", "switches"),
        ("aten.index_put", "optimizer", "float32[4]", "switches"),
        ("aten.index_put", "backward", "float32[4]", None),
        ("aten.put", "backward", "float32[4]", "raises"),
        ("aten.bmm", "forward", "float32[1, 2, 2]", None),
        ("aten.resize_", "forward", "float32[8]", None),
        ("aten.resize_", "forward", "quint8[8]", "raises"),
        ("aten.mkldnn_rnn_layer", "forward", "float32[2, 1, 3]", None),
        ("aten.max_pool2d_with_indices_backward", "backward", "float32[1, 2, 4, 4]", None),
        ("aten.add.Tensor", "forward", "float32[4]", None),
        ("torch.nn.modules.linear.Linear", "forward", "float32[4]", None),
    ],
)
def test_conditions_look_at_what_was_recorded(op, phase, signature, expected):
    assert mode(op, signature, phase) == expected


def test_a_condition_may_look_at_the_forward_pass():
    largest = "float32[2, 3]; int64[6]; int64[2]; int64[2, 3]"
    summed = "float32[2, 3]; int64[0]; int64[2]; int64[2]"
    seen = [
        mode("aten._embedding_bag_backward", "float32[4, 3]", "backward", forward=forward)
        for forward in ([largest], [summed], [summed, largest], [])
    ]
    assert seen == ["raises", None, "raises", "raises"]


@pytest.mark.parametrize(
    ("op", "phase", "version", "expected"),
    [
        ("aten.max_pool3d_with_indices_backward", "backward", "2.12.0", "raises"),
        ("aten.max_pool3d_with_indices_backward", "backward", "2.13.0", "switches"),
        ("aten.kthvalue", "forward", "2.9.1", "raises"),
        ("aten.kthvalue", "forward", "2.10.0", None),
    ],
)
def test_the_version_of_torch_counts(op, phase, version, expected):
    assert mode(op, "float32[4]", phase, OutlookContext(torch=version)) == expected


def test_matrix_products_of_older_versions_ask_for_a_variable():
    old = OutlookContext(torch="2.9.0")
    settled = OutlookContext(torch="2.9.0", variables={"CUBLAS_WORKSPACE_CONFIG"})
    seen = [mode("aten.addmm", "float32[2, 2]", "forward", s) for s in (old, settled, NEW)]
    assert seen == ["raises", None, None]
