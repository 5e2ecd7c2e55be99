"""Every test here proves that it leaves no global state behind."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pytest
import torch

GLOBAL_FLAGS: dict[str, Callable[[], object]] = {
    "debug mode": torch.get_deterministic_debug_mode,
    "fill": lambda: torch.utils.deterministic.fill_uninitialized_memory,
    "cudnn.deterministic": lambda: torch.backends.cudnn.deterministic,
    "cudnn.benchmark": lambda: torch.backends.cudnn.benchmark,
    "cudnn.allow_tf32": lambda: torch.backends.cudnn.allow_tf32,
    "cudnn.conv": lambda: torch.backends.cudnn.conv.fp32_precision,
    "cudnn.rnn": lambda: torch.backends.cudnn.rnn.fp32_precision,
    "mkldnn.deterministic": lambda: torch.backends.mkldnn.deterministic,
    "mkldnn.matmul": lambda: torch.backends.mkldnn.matmul.fp32_precision,
    "mkldnn.conv": lambda: torch.backends.mkldnn.conv.fp32_precision,
    "mkldnn.rnn": lambda: torch.backends.mkldnn.rnn.fp32_precision,
    "matmul precision": torch.get_float32_matmul_precision,
    "matmul.fp32": lambda: torch.backends.cuda.matmul.fp32_precision,
    "generic.fp32": lambda: torch.backends.fp32_precision,
    "fp16 reduction": (lambda: torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction),
    "bf16 reduction": (lambda: torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction),
    "fp16 accumulation": lambda: torch.backends.cuda.matmul.allow_fp16_accumulation,
    "attention": torch.backends.cuda.fp16_bf16_reduction_math_sdp_allowed,
    "threads": torch.get_num_threads,
    "inductor": lambda: getattr(sys.modules.get("torch._inductor.config"), "deterministic", False),
}

# Pytest keeps the name of the running test in one, torch's compiler its folder in the other.
NOT_OURS = ("PYTEST_CURRENT_TEST", "TORCHINDUCTOR_CACHE_DIR")


def global_state() -> dict[str, object]:
    """Read, without the code under test, everything that it could leave changed."""
    state: dict[str, object] = {name: read() for name, read in GLOBAL_FLAGS.items()}
    state["python rng"] = random.getstate()
    legacy = np.random.get_state()
    state["numpy rng"] = (legacy[0], legacy[1].tobytes(), *legacy[2:])
    state["torch rng"] = torch.get_rng_state().numpy().tobytes()
    state["environment"] = {k: v for k, v in os.environ.items() if k not in NOT_OURS}
    state["finders"] = [id(finder) for finder in sys.meta_path]
    return state


def changed(before: Mapping[str, object], after: Mapping[str, object]) -> list[str]:
    """Name what differs between two readings."""
    return [name for name in before if before[name] != after[name]]


@pytest.fixture(autouse=True)
def no_leaks() -> Iterator[None]:
    before = global_state()
    yield
    leaked = changed(before, global_state())
    assert not leaked, f"the test left these changed: {leaked}"


@pytest.fixture
def rng_put_back() -> Iterator[None]:
    """Put the generators back by hand, for tests that seed them on purpose."""
    states = random.getstate(), np.random.get_state(), torch.get_rng_state()
    yield
    random.setstate(states[0])
    np.random.set_state(states[1])
    torch.set_rng_state(states[2])


@pytest.fixture
def run_python() -> Callable[..., str]:
    """Run code in a fresh interpreter and return what it prints."""

    def run(code: str, *arguments: str, **environment: str) -> str:
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name not in ("PYTHONHASHSEED", "MKL_CBWR", "OMP_NUM_THREADS")
        }
        done = subprocess.run(
            [sys.executable, *arguments, "-c", code],
            env={**inherited, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run
