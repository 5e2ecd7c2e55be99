"""Environment variables that libraries read once, when they start."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass

from samebits.training.control.switches.switch import (
    NO_TORCH,
    Requirements,
    Switch,
    Value,
    imported_torch,
)
from samebits.training.control.switches.threads import NOT_ASKED


def _always(target: Requirements) -> str | None:
    return None


def _never_locked() -> str | None:
    return None


@dataclass(frozen=True, kw_only=True)
class Variable(Switch):
    """One environment variable.

    Attributes:
        name: See `Switch`.
        variable: The variable.
        preferred: The value to set, when the person has not set an equally good one.
        purpose: See `Switch`.
        accepts: Whether a value that is set already is as good as the preferred one.
        good_unset: Whether the library behaves well when the variable is not set at all.
        inapplicable: Returns why the variable has no meaning in this process.
        reader_started: Returns why setting it now would come too late.
        launchable: Whether a launcher, which knows nothing of the run yet, sets it.
    """

    name: str
    variable: str
    preferred: Callable[[Requirements], str | None]
    purpose: str
    accepts: Callable[[str], bool] = lambda value: False
    good_unset: bool = False
    inapplicable: Callable[[Requirements], str | None] = _always
    reader_started: Callable[[], str | None] = _never_locked
    launchable: bool = True

    @property
    def setting(self) -> str:  # type: ignore[override]
        """What a person would write to set it."""
        return f"{self.variable}={self.preferred(Requirements(threads=1))} in the environment"

    def not_applicable(self, target: Requirements) -> str | None:
        """Return why this switch has no meaning here and now, or `None` when it has one."""
        return self.inapplicable(target)

    def wanted(self, target: Requirements) -> Value:
        """Return the value to set."""
        return self.preferred(target)

    def read(self) -> Value:
        """Return the variable's value; `None` when it is not set."""
        return os.environ.get(self.variable)

    def holds(self, value: Value, target: Requirements) -> bool:
        """Return whether `value` is as good as the wanted one."""
        if value is None:
            return self.good_unset
        return value == self.preferred(target) or self.accepts(str(value).strip())

    def locked(self) -> str | None:
        """Return why this process can no longer set it, and what can, or `None` when it can."""
        return self.reader_started()

    def set(self, target: Requirements) -> None:
        """Set the wanted value."""
        self.restore(self.preferred(target))

    def restore(self, saved: object) -> None:
        """Put back what `save` returned."""
        if saved is None:
            os.environ.pop(self.variable, None)
        else:
            os.environ[self.variable] = str(saved)


def single_workspace(value: str) -> bool:
    """Return whether a CUBLAS_WORKSPACE_CONFIG has buffers of one size only.

    With several sizes cuBLAS takes a smaller buffer when the larger ones are in use by another
    stream, and a smaller buffer may mean another kernel.
    Source: cuBLAS library, "Results reproducibility"; release notes of cuDNN 8, on its recurrent
    layers and its attention.
    """
    return re.fullmatch(r":\d+:[1-9]\d*", value) is not None


def software_reduction(value: str) -> bool:
    """Return whether an NCCL_ALGO leaves reductions to algorithms with a fixed order of addition.

    Those that NCCL computes itself, ring and tree, have one for given ranks and sizes. NVLS adds in
    the switch, where the order is not NCCL's to say: its results can differ between calls.
    Source: the NCCL maintainers, NVIDIA/nccl issue 1497.
    """
    names = value.lower().removeprefix("^").split(",")
    if value.startswith("^"):
        return "nvls" in names and "nvlstree" in names
    return names in (["ring"], ["tree"])


def _preferring(value: str) -> Callable[[Requirements], str | None]:
    return lambda target: value


def _threads(target: Requirements) -> str | None:
    return None if target.threads is None else str(target.threads)


def _fixed_threads(target: Requirements) -> str | None:
    return None if target.threads is None else "FALSE"


def _no_threads_asked(target: Requirements) -> str | None:
    return NOT_ASKED if target.threads is None else None


def _no_cuda(target: Requirements) -> str | None:
    torch = imported_torch()
    if torch is None:
        return NO_TORCH
    return None if torch.version.cuda else "this torch is built without CUDA"


def _no_nccl(target: Requirements) -> str | None:
    torch = imported_torch()
    if torch is None:
        return NO_TORCH
    distributed = getattr(torch, "distributed", None)
    # RCCL, the same library for AMD GPUs, reads the same variables and answers to this name too.
    if distributed is None or not getattr(distributed, "is_nccl_available", lambda: False)():
        return "this torch is built without NCCL"
    return None


def _not_cuda_10_1(target: Requirements) -> str | None:
    reason = _no_cuda(target)
    if reason is not None:
        return reason
    version = imported_torch().version.cuda
    return None if version == "10.1" else f"only CUDA 10.1 needs it, and this is CUDA {version}"


def _no_mkl(target: Requirements) -> str | None:
    torch = imported_torch()
    if torch is None:
        return NO_TORCH
    return None if torch.backends.mkl.is_available() else "this torch is built without MKL"


def _cuda_started() -> str | None:
    torch = imported_torch()
    if torch is not None and torch.cuda.is_initialized():
        return (
            "CUDA has started in this process, and its libraries have read their variables; "
            "set it before, or start by `samebits run`"
        )
    return None


def _nccl_started() -> str | None:
    distributed = getattr(imported_torch(), "distributed", None)
    if getattr(distributed, "is_initialized", lambda: False)():
        return (
            "a process group is up, and NCCL has read its variables; "
            "set it before init_process_group, or start by `samebits run`"
        )
    return None


def _torch_imported() -> str | None:
    if imported_torch() is not None:
        return (
            "torch is imported, and its libraries have read their variables; "
            "set it before Python starts, or start by `samebits run`"
        )
    return None


VARIABLES = (
    Variable(
        name="cublas-workspace",
        variable="CUBLAS_WORKSPACE_CONFIG",
        preferred=_preferring(":4096:8"),
        accepts=single_workspace,
        inapplicable=_no_cuda,
        reader_started=_cuda_started,
        purpose="cuBLAS, and cuDNN's recurrent layers on it, take the same workspace and so the "
        "same kernel in each run. torch before 2.10 refuses matrix products without it when "
        "deterministic algorithms are asked for.",
    ),
    Variable(
        name="cuda-launch-blocking",
        variable="CUDA_LAUNCH_BLOCKING",
        preferred=_preferring("1"),
        inapplicable=_not_cuda_10_1,
        reader_started=_cuda_started,
        launchable=False,
        purpose="On CUDA 10.1, recurrent layers repeat only when kernels run one by one.",
    ),
    Variable(
        name="nvidia-tf32",
        variable="NVIDIA_TF32_OVERRIDE",
        preferred=_preferring("0"),
        inapplicable=_no_cuda,
        reader_started=_cuda_started,
        purpose="NVIDIA's libraries do not round float32 numbers to TF32, whoever calls them.",
    ),
    Variable(
        name="nccl-algorithm",
        variable="NCCL_ALGO",
        preferred=_preferring("Ring"),
        accepts=software_reduction,
        inapplicable=_no_nccl,
        reader_started=_nccl_started,
        purpose="Sums over ranks are added in an order that the ranks and the size alone decide.",
    ),
    Variable(
        name="nccl-protocol",
        variable="NCCL_PROTO",
        preferred=_preferring("Simple"),
        accepts=lambda value: value.lower() in ("simple", "ll", "ll128"),
        inapplicable=_no_nccl,
        reader_started=_nccl_started,
        purpose="Sums over ranks are cut into the same chunks whatever NCCL's tuning expects to be "
        "fastest.",
    ),
    Variable(
        name="nccl-nvls",
        variable="NCCL_NVLS_ENABLE",
        preferred=_preferring("0"),
        inapplicable=_no_nccl,
        reader_started=_nccl_started,
        purpose="Sums over ranks are not left to the NVLink switch, whose order of addition can "
        "change from call to call.",
    ),
    Variable(
        name="mkl-reproducibility",
        variable="MKL_CBWR",
        preferred=_preferring("AUTO"),
        accepts=lambda value: value.upper() not in ("", "0", "OFF"),
        inapplicable=_no_mkl,
        reader_started=_torch_imported,
        purpose="MKL gives the same bits wherever in memory its operands lie, and whatever else "
        "the machine is doing.",
    ),
    Variable(
        name="omp-threads",
        variable="OMP_NUM_THREADS",
        preferred=_threads,
        inapplicable=_no_threads_asked,
        reader_started=_torch_imported,
        purpose="Every library on OpenMP cuts its sums into the same parts.",
    ),
    Variable(
        name="mkl-threads",
        variable="MKL_NUM_THREADS",
        preferred=_threads,
        inapplicable=_no_threads_asked,
        reader_started=_torch_imported,
        purpose="MKL cuts its sums into the same parts.",
    ),
    Variable(
        name="openblas-threads",
        variable="OPENBLAS_NUM_THREADS",
        preferred=_threads,
        inapplicable=_no_threads_asked,
        reader_started=_torch_imported,
        purpose="OpenBLAS, under NumPy and SciPy, cuts its sums into the same parts.",
    ),
    Variable(
        name="omp-dynamic",
        variable="OMP_DYNAMIC",
        preferred=_fixed_threads,
        accepts=lambda value: value.lower() in ("false", "0"),
        good_unset=True,
        inapplicable=_no_threads_asked,
        reader_started=_torch_imported,
        purpose="OpenMP does not take fewer threads when the machine is busy.",
    ),
    Variable(
        name="mkl-dynamic",
        variable="MKL_DYNAMIC",
        preferred=_fixed_threads,
        accepts=lambda value: value.lower() in ("false", "0"),
        inapplicable=_no_threads_asked,
        reader_started=_torch_imported,
        purpose="MKL does not take fewer threads than it was given.",
    ),
)
