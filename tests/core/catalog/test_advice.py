"""What the catalog tells people to write does the same as what it replaces."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from samebits.core.catalog.operations import entries_for


@pytest.fixture(autouse=True)
def seeded():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


def advice(op):
    return " ".join(entry.instead for entry in entries_for(op))


def test_bincount_with_weights():
    assert "index_add_(0, x, weights)" in advice("aten.bincount")
    x, weights = torch.tensor([0, 2, 2, 1]), torch.rand(4)
    torch.testing.assert_close(
        torch.zeros(3).index_add_(0, x, weights), torch.bincount(x, weights, minlength=3)
    )


def test_loss_of_every_pixel():
    assert "x.movedim(1, -1).flatten(0, -2), target.flatten()" in advice("aten.nll_loss2d_forward")
    x, target = torch.randn(2, 3, 4, 5), torch.randint(3, (2, 4, 5))
    torch.testing.assert_close(
        functional.cross_entropy(x.movedim(1, -1).flatten(0, -2), target.flatten()),
        functional.cross_entropy(x, target),
    )


def test_linear_interpolation():
    assert "x.unsqueeze(2), size=(1, n), mode='bilinear').squeeze(2)" in advice(
        "aten.upsample_linear1d_backward"
    )
    x = torch.randn(2, 3, 5)
    torch.testing.assert_close(
        functional.interpolate(x.unsqueeze(2), size=(1, 9), mode="bilinear").squeeze(2),
        functional.interpolate(x, size=9, mode="linear"),
    )


def test_reflection_in_one_dimension():
    assert "x.unsqueeze(-2), (left, right, 0, 0), mode='reflect').squeeze(-2)" in advice(
        "aten.reflection_pad1d_backward"
    )
    x = torch.randn(2, 3, 5)
    torch.testing.assert_close(
        functional.pad(x.unsqueeze(-2), (2, 1, 0, 0), mode="reflect").squeeze(-2),
        functional.pad(x, (2, 1), mode="reflect"),
    )


@pytest.mark.parametrize("size", [4, 5])
def test_median_along_a_dimension(size):
    assert "x.sort(dim=dim, stable=True), then the element at (size - 1) // 2" in advice(
        "aten.median.dim"
    )
    x = torch.randn(3, size)
    values, indices = x.median(1)
    ordered = x.sort(dim=1, stable=True)
    assert ordered.values[:, (size - 1) // 2].equal(values)
    assert ordered.indices[:, (size - 1) // 2].equal(indices)
    assert torch.quantile(x, 0.5, dim=1, interpolation="lower").equal(values)


def test_unpooling():
    assert "scatter(2, indices.flatten(2), x.flatten(2))" in advice("aten.max_unpool2d")
    x, indices = functional.max_pool2d(torch.randn(1, 2, 4, 4), 2, return_indices=True)
    unpooled = torch.zeros(1, 2, 16).scatter(2, indices.flatten(2), x.flatten(2))
    assert unpooled.unflatten(2, (4, 4)).equal(functional.max_unpool2d(x, indices, 2))


def test_put_and_take():
    assert "x.view(-1).index_put_((index,), values, accumulate=True)" in advice("aten.put")
    index, values = torch.tensor([0, 5, 5]), torch.rand(3)
    ours, theirs = torch.zeros(2, 3), torch.zeros(2, 3)
    ours.view(-1).index_put_((index,), values, accumulate=True)
    assert ours.equal(theirs.put_(index, values, accumulate=True))
    assert ours.view(-1)[index].equal(ours.take(index))


def test_means_and_maxima_of_equal_windows():
    assert "x.mean((-2, -1))" in advice("aten._adaptive_avg_pool2d_backward")
    x = torch.randn(1, 2, 4, 6)
    torch.testing.assert_close(
        functional.avg_pool2d(x, (2, 2)), functional.adaptive_avg_pool2d(x, (2, 3))
    )
    assert functional.max_pool2d(x, (2, 2)).equal(functional.adaptive_max_pool2d(x, (2, 3)))
    assert x.amax((-2, -1)).equal(functional.adaptive_max_pool2d(x, 1).flatten(1))


def test_bags_of_equal_length():
    assert ".amax(dim=1)" in advice("aten._embedding_bag_backward")
    weight, bags = torch.randn(5, 3), torch.randint(5, (4, 2))
    assert (
        functional.embedding(bags, weight)
        .amax(dim=1)
        .equal(functional.embedding_bag(bags, weight, mode="max"))
    )


@pytest.mark.filterwarnings("ignore:index_reduce")
def test_index_reduce():
    assert "index expanded to the source's shape" in advice("aten.index_reduce")
    x, source, index = torch.randn(3, 2), torch.randn(4, 2), torch.tensor([0, 1, 1, 2])
    expanded = index.unsqueeze(1).expand_as(source)
    assert x.scatter_reduce(0, expanded, source, "amax").equal(
        x.index_reduce(0, index, source, "amax")
    )


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize(
    ("mode", "raises"), [("bicubic", True), ("bilinear", False), ("nearest", False)]
)
def test_on_cuda_interpolation_does_as_the_catalog_says(mode, raises):
    x = torch.randn(1, 1, 4, 4, device="cuda", requires_grad=True)
    before = torch.get_deterministic_debug_mode()
    torch.use_deterministic_algorithms(True)
    try:
        y = functional.interpolate(x, scale_factor=2, mode=mode)
        if raises:
            with pytest.raises(RuntimeError, match="deterministic"):
                y.sum().backward()
        else:
            y.sum().backward()
    finally:
        torch.set_deterministic_debug_mode(before)
