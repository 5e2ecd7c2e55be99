from __future__ import annotations

import sys
import types
from collections.abc import Callable

import pytest
import torch

from samebits.errors import UsageError
from samebits.training.control.switches import NAMES, SWITCHES, Requirements, checked_names
from samebits.training.control.switches.inductor import VARIABLE, InductorDeterministic
from samebits.training.control.switches.interpreter import fixed_hash_seed
from samebits.training.control.switches.variables import single_workspace, software_reduction
from samebits.training.control.switches.vector_math import VECTOR_FUNCTIONS, VectorMath

BY_NAME = {switch.name: switch for switch in SWITCHES}
TARGET = Requirements()


def test_names_are_unique_and_every_row_explains_itself() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for switch in SWITCHES:
        assert switch.name == switch.name.lower()
        assert " " not in switch.name
        assert switch.setting
        assert switch.purpose.endswith(".")


def test_every_applicable_switch_goes_there_and_back() -> None:
    moved = []
    for switch in SWITCHES:
        if switch.not_applicable(TARGET) or switch.locked():
            continue
        before, saved = switch.read(), switch.save()
        switch.set(TARGET)
        assert switch.holds(switch.read(), TARGET), switch.name
        switch.restore(saved)
        stays = isinstance(switch, VectorMath)  # what MKL has chosen stays chosen
        assert switch.read() == (True if stays else before), switch.name
        moved.append(switch.name)
    assert len(moved) >= 13


def test_unknown_names_list_the_choices() -> None:
    with pytest.raises(UsageError, match="no switch called nonsense") as caught:
        checked_names(["nonsense", "hash-seed"])
    assert "cudnn-benchmark" in str(caught.value)


# --- first calls of vector functions ----------------------------------------------------------


def test_every_first_call_is_made_and_no_generator_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    if VectorMath().not_applicable(TARGET):
        pytest.skip("this torch computes them by itself, or its MKL needs no first call")
    called = []
    for name in VECTOR_FUNCTIONS:
        monkeypatch.setattr(torch, name, lambda x, name=name: called.append((name, x.dtype)))
    generator = torch.get_rng_state()
    switch = VectorMath()
    assert switch.read() is False
    switch.set(TARGET)
    assert switch.read() is True
    assert sorted(called, key=str) == sorted(
        ((n, d) for n in VECTOR_FUNCTIONS for d in (torch.float32, torch.float64)), key=str
    )
    assert torch.equal(torch.get_rng_state(), generator)


@pytest.mark.parametrize(
    ("version", "needed"), [("2024.2-Product", True), ("2025.0-Product", False), ("", True)]
)
def test_an_mkl_that_is_mended_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, version: str, needed: bool
) -> None:
    config = f"Intel(R) oneAPI Math Kernel Library Version {version} Build" if version else ""
    monkeypatch.setattr(torch.__config__, "show", lambda: config)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    assert (VectorMath().not_applicable(TARGET) is None) is needed


# --- precision: both interfaces, in every combination -----------------------------------------


def legacy_and_leaves() -> dict[str, object]:
    """Read everything that decides float32 precision, by asking torch under agreeing values."""
    backends = torch.backends
    leaves = [
        (backends.cuda.matmul, "cuda.matmul"),
        (backends.mkldnn.matmul, "mkldnn.matmul"),
        (backends.cudnn.conv, "cudnn.conv"),
        (backends.cudnn.rnn, "cudnn.rnn"),
    ]
    state: dict[str, object] = {name: leaf.fp32_precision for leaf, name in leaves}
    for name, read in (
        ("matmul", torch.get_float32_matmul_precision),
        ("cudnn", lambda: backends.cudnn.allow_tf32),
    ):
        try:
            state[name] = read()
        except RuntimeError:
            state[name] = "torch refuses to tell"
    return state


@pytest.mark.parametrize("older", ["highest", "high", "medium"])
@pytest.mark.parametrize("newer", [None, "ieee", "tf32"])
def test_matmul_precision_comes_back_from_any_mix(older: str, newer: str | None) -> None:
    switch = BY_NAME["matmul-float32-precision"]
    untouched = switch.save()
    try:
        torch.set_float32_matmul_precision(older)
        if newer is not None:
            torch.backends.cuda.matmul.fp32_precision = newer
        before = legacy_and_leaves()
        saved = switch.save()
        assert legacy_and_leaves() == before, "saving changed something"
        switch.set(TARGET)
        assert switch.read() == "ieee"
        assert torch.get_float32_matmul_precision() == "highest"
        assert torch.backends.cuda.matmul.allow_tf32 is False
        switch.restore(saved)
        assert legacy_and_leaves() == before
    finally:
        switch.restore(untouched)


@pytest.mark.parametrize("older", [True, False])
@pytest.mark.parametrize("conv", [None, "ieee", "tf32"])
@pytest.mark.parametrize("rnn", [None, "ieee", "tf32"])
def test_cudnn_precision_comes_back_from_any_mix(
    older: bool, conv: str | None, rnn: str | None
) -> None:
    switch = BY_NAME["cudnn-float32-precision"]
    untouched = switch.save()
    try:
        torch.backends.cudnn.allow_tf32 = older
        if conv is not None:
            torch.backends.cudnn.conv.fp32_precision = conv
        if rnn is not None:
            torch.backends.cudnn.rnn.fp32_precision = rnn
        before = legacy_and_leaves()
        saved = switch.save()
        assert legacy_and_leaves() == before, "saving changed something"
        switch.set(TARGET)
        assert switch.read() == "ieee"
        # Libraries read the older flag, and torch.backends.cudnn.flags() does.
        assert torch.backends.cudnn.allow_tf32 is False
        with torch.backends.cudnn.flags(enabled=True):
            pass
        switch.restore(saved)
        assert legacy_and_leaves() == before
    finally:
        switch.restore(untouched)


def test_precision_inherited_from_the_backend_is_overridden_and_inherited_again() -> None:
    switch = BY_NAME["matmul-float32-precision"]
    generic = torch.backends.fp32_precision
    try:
        torch.backends.fp32_precision = "tf32"
        saved = switch.save()
        assert switch.read() == "matmul=tf32 matmul=tf32"
        switch.set(TARGET)
        assert switch.read() == "ieee"
        switch.restore(saved)
        torch.backends.fp32_precision = "none"
        assert switch.read() == "ieee"
    finally:
        torch.backends.fp32_precision = generic


@pytest.mark.skipif(
    not hasattr(torch.backends.cuda.matmul, "allow_bf16_reduced_precision_reduction_split_k"),
    reason="this torch has no split-k half of the flag",
)
def test_forbidding_reduced_sums_keeps_the_word_on_split_sums() -> None:
    matmul = torch.backends.cuda.matmul
    switch = BY_NAME["bf16-reduction"]
    untouched = switch.save()
    try:
        matmul.allow_bf16_reduced_precision_reduction = (False, False)
        saved = switch.save()
        switch.set(TARGET)
        assert matmul.allow_bf16_reduced_precision_reduction_split_k is False
        switch.restore(saved)
        assert switch.save() == saved == (False, False)
    finally:
        switch.restore(untouched)


# --- the compiler -----------------------------------------------------------------------------


def test_inductor_is_not_imported_for_its_switch(run_python: Callable[..., str]) -> None:
    code = (
        "import sys, torch\n"
        "from samebits.training.control import audit, deterministic\n"
        "with deterministic(): audit()\n"
        "print('torch._inductor.config' in sys.modules)"
    )
    assert run_python(code) == "False"


def test_inductor_imported_inside_the_scope_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    switch = InductorDeterministic()
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.delitem(sys.modules, "torch._inductor.config", raising=False)
    saved = switch.save()
    switch.set(TARGET)
    config = types.ModuleType("torch._inductor.config")
    config.deterministic = True  # type: ignore[attr-defined]  # what it reads in our variable
    monkeypatch.setitem(sys.modules, "torch._inductor.config", config)
    assert switch.read() is True
    switch.restore(saved)
    assert switch.read() is False


def test_inductor_imported_already_is_set_and_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    switch = InductorDeterministic()
    monkeypatch.delenv(VARIABLE, raising=False)
    config = types.ModuleType("torch._inductor.config")
    config.deterministic = False  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch._inductor.config", config)
    saved = switch.save()
    switch.set(TARGET)
    assert config.deterministic is True
    switch.restore(saved)
    assert config.deterministic is False
    bare = types.ModuleType("torch._inductor.config")
    monkeypatch.setitem(sys.modules, "torch._inductor.config", bare)
    assert "no such setting" in str(switch.not_applicable(TARGET))


# --- variables --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "good"),
    [
        (":4096:8", True),
        (":16:8", True),
        (":4096:2", True),
        (":4096:2:16:8", False),
        ("4096:8", False),
        ("", False),
        (":4096:0", False),
        (":4096:8 ", False),
    ],
)
def test_workspaces_of_one_size_repeat(value: str, good: bool) -> None:
    assert single_workspace(value) is good


@pytest.mark.parametrize(
    ("value", "good"),
    [
        ("Ring", True),
        ("tree", True),
        ("NVLS", False),
        ("Ring,Tree", False),
        ("^NVLS", False),
        ("^NVLS,NVLSTree", True),
        ("", False),
        ("allreduce:tree", False),
    ],
)
def test_reductions_in_software_repeat(value: str, good: bool) -> None:
    assert software_reduction(value) is good


@pytest.mark.parametrize(
    ("value", "seed"),
    [
        ("0", 0),
        ("4294967295", 4294967295),
        ("4294967296", None),
        ("random", None),
        ("", None),
        (None, None),
        ("-1", None),
        ("٣", None),
    ],
)
def test_hash_seeds_that_python_takes(value: str | None, seed: int | None) -> None:
    assert fixed_hash_seed(value) == seed
