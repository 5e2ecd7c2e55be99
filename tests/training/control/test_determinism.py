from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator

import pytest
import torch

from samebits.errors import ControlError, UsageError
from samebits.training.control import audit, deterministic
from samebits.training.control.switches import NAMES, SWITCHES


def nondeterministic() -> torch.Tensor:
    """Run an operation that has no deterministic implementation on the CPU either."""
    return torch.nn.MaxUnpool1d(2)(torch.ones(1, 1, 2), torch.tensor([[[0, 2]]]))


@pytest.fixture
def fast_and_loose() -> Iterator[None]:
    """Set every flag the wrong way, by hand, and put it back by hand."""
    matmul, cudnn = torch.backends.cuda.matmul, torch.backends.cudnn
    before = (
        cudnn.benchmark,
        matmul.allow_fp16_accumulation,
        torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed(),
        torch.utils.deterministic.fill_uninitialized_memory,
    )
    cudnn.benchmark = True
    matmul.allow_fp16_accumulation = True
    torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(True)
    torch.utils.deterministic.fill_uninitialized_memory = False
    yield
    cudnn.benchmark = before[0]
    matmul.allow_fp16_accumulation = before[1]
    torch.backends.cuda.allow_fp16_bf16_reduction_math_sdp(before[2])
    torch.utils.deterministic.fill_uninitialized_memory = before[3]


def torch_switches_hold() -> bool:
    named = ("algorithms", "memory", "cudnn", "mkldnn", "precision", "fp16", "bf16", "inductor")
    readings = [
        reading
        for reading in audit().readings
        if any(part in reading.name for part in (*named, "attention"))
    ]
    assert len(readings) == 13
    return all(reading.holds for reading in readings)


@pytest.mark.usefixtures("fast_and_loose")
def test_a_block_sets_everything_and_puts_it_back() -> None:
    assert not torch_switches_hold()
    with deterministic() as control:
        assert torch_switches_hold()
        with pytest.raises(RuntimeError, match="does not have a deterministic implementation"):
            nondeterministic()
        empty = torch.empty(4)
        assert empty.isnan().all()
    nondeterministic()
    for name in ("cudnn-benchmark", "fill-uninitialized-memory", "fp16-accumulation"):
        assert control.report[name].outcome == "set"
        assert control.report[name].before is not control.report[name].after


def test_a_block_that_raises_puts_everything_back() -> None:
    with pytest.raises(RuntimeError, match="deterministic"), deterministic():
        nondeterministic()


def test_warn_warns() -> None:
    with deterministic("warn"), pytest.warns(UserWarning, match="deterministic"):
        nondeterministic()


def test_a_plain_call_holds_until_restored() -> None:
    control = deterministic()
    try:
        assert torch_switches_hold()
    finally:
        control.restore()
    assert not torch_switches_hold()
    control.restore()
    with control:
        assert torch_switches_hold()
    assert not torch_switches_hold()


def test_a_decorator_holds_during_the_call_and_not_before() -> None:
    seen = []

    @deterministic()
    def recurse(n: int) -> None:
        """Say hello."""
        seen.append(torch_switches_hold())
        if n:
            recurse(n - 1)

    assert not torch_switches_hold()
    recurse(2)
    assert seen == [True, True, True]
    assert not torch_switches_hold()
    assert recurse.__doc__ == "Say hello."

    with pytest.raises(RuntimeError, match="deterministic"):
        deterministic()(nondeterministic)()


def test_a_decorator_refuses_a_generator_function_and_leaves_nothing_set() -> None:
    def late() -> Iterator[int]:
        yield 1

    with pytest.raises(UsageError, match="its body runs after the call"):
        deterministic()(late)
    assert not torch_switches_hold()


def test_scopes_nest() -> None:
    with deterministic("error") as outer:
        with deterministic("warn"):
            assert torch.get_deterministic_debug_mode() == 1
            with outer:
                assert torch.get_deterministic_debug_mode() == 2
            assert torch.get_deterministic_debug_mode() == 1
        assert torch.get_deterministic_debug_mode() == 2
    assert torch.get_deterministic_debug_mode() == 0
    with outer:
        assert torch.get_deterministic_debug_mode() == 2
    assert torch.get_deterministic_debug_mode() == 0


def test_what_the_block_itself_changes_is_put_back_too() -> None:
    with deterministic() as control:
        assert control.report["cudnn-benchmark"].outcome == "held"
        torch.backends.cudnn.benchmark = True
        torch.set_float32_matmul_precision("medium")
        torch.backends.cudnn.conv.fp32_precision = "tf32"
        torch.use_deterministic_algorithms(False)
    assert torch.backends.cudnn.benchmark is False
    assert torch.get_float32_matmul_precision() == "highest"


def test_keep_leaves_a_switch_alone() -> None:
    with deterministic(keep=["cudnn-float32-precision", "fp16-reduction"]) as control:
        assert torch.backends.cudnn.allow_tf32 is True
        assert torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction is True
        assert control.report["fp16-reduction"].outcome == "kept"


def test_threads_are_set_and_put_back() -> None:
    before = torch.get_num_threads()
    with deterministic(threads=before + 1) as control:
        assert torch.get_num_threads() == before + 1
        assert control.report["torch-threads"].after == before + 1
    assert torch.get_num_threads() == before


def test_the_report_names_every_switch_and_is_json() -> None:
    with deterministic() as control:
        report = control.report
    assert tuple(change.name for change in report.changes) == NAMES
    assert json.loads(json.dumps(report.to_json()))[0] == {
        "name": "deterministic-algorithms",
        "setting": "torch.use_deterministic_algorithms(True)",
        "outcome": "set",
        "before": "default",
        "after": "error",
        "reason": None,
    }
    assert len(str(report).splitlines()) == len(SWITCHES)
    with pytest.raises(KeyError):
        report["no-such-switch"]


def test_what_cannot_be_set_is_reported_and_not_pretended(
    monkeypatch: pytest.MonkeyPatch, run_python: Callable[..., str]
) -> None:
    code = (
        "from samebits.training.control import deterministic\n"
        "for c in deterministic().report.not_set: print(c.name, c.reason, sep=': ')"
    )
    reported = run_python(code, PYTHONHASHSEED="random")
    assert "hash-seed: the interpreter takes its hash seed when it starts; start it" in reported
    if sys.platform.startswith("linux"):
        assert "address-layout: the kernel lays a process out when it starts" in reported
    assert "hash-seed" not in run_python(code, PYTHONHASHSEED="3")


def test_a_flag_that_torch_refuses_to_set_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(value: bool) -> None:
        raise RuntimeError("not allowed here")

    monkeypatch.setattr(torch.backends.cuda, "allow_fp16_bf16_reduction_math_sdp", refuse)
    monkeypatch.setattr(torch.backends.cuda, "fp16_bf16_reduction_math_sdp_allowed", lambda: True)
    with deterministic() as control:
        change = control.report["attention-reduction"]
    assert (change.outcome, change.reason) == ("not-set", "RuntimeError: not allowed here")


def test_a_flag_that_cannot_be_put_back_is_an_error_and_keeps_no_other_from_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    value = True

    def set_once(new: bool) -> None:
        nonlocal value
        if new:
            raise RuntimeError("not allowed any more")
        value = new

    monkeypatch.setattr(torch.backends.cuda, "allow_fp16_bf16_reduction_math_sdp", set_once)
    monkeypatch.setattr(torch.backends.cuda, "fp16_bf16_reduction_math_sdp_allowed", lambda: value)
    control = deterministic()
    with pytest.raises(RuntimeError, match="not allowed any more"):
        control.restore()
    # Every other switch is back, as the guard sees.


def test_a_flag_that_stays_as_it_was_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        torch.backends.cuda, "allow_fp16_bf16_reduction_math_sdp", lambda value: None
    )
    monkeypatch.setattr(torch.backends.cuda, "fp16_bf16_reduction_math_sdp_allowed", lambda: True)
    with deterministic() as control:
        change = control.report["attention-reduction"]
    assert (change.outcome, change.reason) == ("not-set", "it was set, and still reads as True")


def test_strict_raises_and_puts_everything_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", "12.6")
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    with pytest.raises(ControlError, match="cublas-workspace: CUDA has started") as caught:
        deterministic(strict=True)
    assert "keep=" in str(caught.value)
    assert not torch_switches_hold()
    monkeypatch.undo()
    rest = [change.name for change in deterministic_report_of_not_set()]
    with deterministic(strict=True, keep=rest):
        assert torch_switches_hold()


def deterministic_report_of_not_set():  # type: ignore[no-untyped-def]
    with deterministic() as control:
        return control.report.not_set


def test_variables_are_set_in_time_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.version, "cuda", "12.6")
    monkeypatch.setattr(torch.distributed, "is_nccl_available", lambda: True)
    monkeypatch.setenv("NCCL_ALGO", "Tree")
    monkeypatch.setenv("NCCL_NVLS_ENABLE", "1")
    monkeypatch.delenv("CUBLAS_WORKSPACE_CONFIG", raising=False)
    with deterministic() as control:
        assert os.environ["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8"
        assert os.environ["NCCL_ALGO"] == "Tree"
        assert os.environ["NCCL_NVLS_ENABLE"] == "0"
        assert control.report["nccl-algorithm"].outcome == "held"
        assert control.report["cuda-launch-blocking"].reason == (
            "only CUDA 10.1 needs it, and this is CUDA 12.6"
        )
    assert "CUBLAS_WORKSPACE_CONFIG" not in os.environ
    assert os.environ["NCCL_NVLS_ENABLE"] == "1"
    monkeypatch.setattr(torch.distributed, "is_initialized", lambda: True)
    with deterministic() as control:
        assert "a process group is up" in str(control.report["nccl-nvls"].reason)
        assert os.environ["NCCL_NVLS_ENABLE"] == "1"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"mode": "strict"}, 'mode must be "error" or "warn"'),
        ({"mode": True}, "mode must be"),
        ({"threads": 0}, "number of threads must lie between 1"),
        ({"threads": "2"}, "number of threads must be an integer"),
        ({"keep": ["tf32"]}, "no switch called tf32"),
        ({"keep": "cudnn-benchmark"}, "must be a list"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        deterministic(**arguments)  # type: ignore[arg-type]


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_the_workspace_cannot_be_set_once_cuda_runs(run_python: Callable[..., str]) -> None:
    code = (
        "import torch\n"
        "from samebits.training.control import deterministic\n"
        "{0}\n"
        "print(deterministic().report['cublas-workspace'].outcome)"
    )
    assert run_python(code.format("pass")) == "set"
    assert run_python(code.format("torch.ones(2, device='cuda')")) == "not-set"
