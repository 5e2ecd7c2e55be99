"""What computes without dispatching, and what failed for the wrong reason, inside a block."""

from __future__ import annotations

import importlib
import sys

import pytest
import torch
from torch.nn import functional

import samebits
from samebits.arithmetic import past_dispatch
from samebits.errors import NotExactError


@pytest.mark.parametrize(
    ("owner", "method", "told"),
    [
        ("AOTIModelPackageLoader", "run", "AOTInductor"),
        ("AOTIModelPackageLoader", "boxed_run", "AOTInductor"),
        ("AOTIModelContainerRunnerCpu", "run", "AOTInductor"),
        ("StaticModule", "__call__", "static runtime"),
        ("StaticModule", "runAsync", "static runtime"),
    ],
)
def test_compiled_models_are_refused_by_name(owner, method, told):
    home = torch._C if hasattr(torch._C, owner) else torch._C._aoti
    kind = getattr(home, owner)
    before = getattr(kind, method)
    with samebits.exact(), pytest.raises(NotExactError, match=told):
        getattr(kind, method)(None)
    assert getattr(kind, method) is before


def test_graphs_of_inductor_are_refused_where_it_is_loaded():
    output_code = pytest.importorskip("torch._inductor.output_code")
    assert "torch._inductor.output_code" in sys.modules
    with samebits.exact(), pytest.raises(NotExactError, match="Inductor has compiled"):
        output_code.CompiledFxGraph.__call__(None, [torch.ones(2)])


def test_what_runs_compiled_code_is_refused_when_it_is_loaded_inside_a_block(tmp_path, monkeypatch):
    name = "loads_compiled_graphs"
    (tmp_path / f"{name}.py").write_text("class Graph:\n    def __call__(self): return 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    place = (name, "Graph", ("__call__",))
    monkeypatch.setattr(past_dispatch, "_RUNNERS", {"a graph from a cache": (place,)})
    with samebits.exact():
        graph = importlib.import_module(name).Graph()
        with pytest.raises(NotExactError, match="a graph from a cache is not exact"):
            graph()
    assert graph() == 3
    with samebits.exact(), pytest.raises(NotExactError, match="a graph from a cache"):
        graph()
    assert graph() == 3


def test_what_is_loaded_between_blocks_is_left_alone(tmp_path, monkeypatch):
    name = "loads_compiled_graphs_later"
    (tmp_path / f"{name}.py").write_text("class Graph:\n    def __call__(self): return 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    place = (name, "Graph", ("__call__",))
    monkeypatch.setattr(past_dispatch, "_RUNNERS", {"a graph from a cache": (place,)})
    with samebits.exact():
        pass
    graph = importlib.import_module(name).Graph()
    assert vars(type(graph))["__call__"].__module__ == name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_package_of_aotinductor_is_refused(tmp_path):
    x = torch.ones(2, 3)
    exported = torch.export.export(torch.nn.Linear(3, 2), (x,))
    path = torch._inductor.aoti_compile_and_package(
        exported, package_path=str(tmp_path / "model.pt2")
    )
    model = torch._inductor.aoti_load_package(path)
    model(x)
    with samebits.exact(), pytest.raises(NotExactError, match="AOTInductor"):
        model(x)
    model(x)


def test_torchscripts_fuser_is_off_inside():
    before = torch._C._jit_can_fuse_on_cpu()
    torch._C._jit_override_can_fuse_on_cpu(True)
    try:
        fuses = torch._C._jit_can_fuse_on_cpu()  # not in every build of torch
        with samebits.exact():
            assert not torch._C._jit_can_fuse_on_cpu()
        assert torch._C._jit_can_fuse_on_cpu() == fuses
    finally:
        torch._C._jit_override_can_fuse_on_cpu(before)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_empty_pooling_has_empty_derivatives(axes):
    x = torch.ones((0, 3, *(4,) * axes), requires_grad=True)
    with samebits.exact():
        getattr(functional, f"avg_pool{axes}d")(x, 2).sum().backward()
    assert x.grad.shape == x.shape


@pytest.mark.parametrize("index", [torch.tensor(0), torch.tensor([0])])
def test_gather_of_a_number_has_a_derivative(index):
    x = torch.tensor(2.0, requires_grad=True)
    with samebits.exact():
        x.gather(0, index).sum().backward()
    assert x.grad.equal(torch.tensor(1.0))


@pytest.mark.filterwarnings("ignore")  # torch advises to compile flex_attention
def test_higher_order_operators_of_torchs_functions_are_refused_by_name():
    attention = pytest.importorskip("torch.nn.attention.flex_attention")
    x, q = torch.ones(3), torch.ones(1, 1, 16, 8)
    with samebits.exact():
        with pytest.raises(NotExactError, match="operator cond is not exact"):
            torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))
        with pytest.raises(NotExactError, match="operator flex_attention is not exact"):
            attention.flex_attention(q, q, q)
