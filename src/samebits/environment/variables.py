"""Environment variables that can change results: a fixed list, and no secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping

RELEVANT = (
    "ATEN_CPU_CAPABILITY",
    "BLIS_NUM_THREADS",
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "CUDNN_DETERMINISTIC",
    "DNNL_DEFAULT_FPMATH_MODE",
    "DNNL_MAX_CPU_ISA",
    "FLAGS_cudnn_deterministic",
    "GLIBC_TUNABLES",
    "GOMP_CPU_AFFINITY",
    "HIP_VISIBLE_DEVICES",
    "JAX_DEFAULT_PRNG_IMPL",
    "JAX_ENABLE_X64",
    "KMP_AFFINITY",
    "KMP_BLOCKTIME",
    "KMP_DETERMINISTIC_REDUCTION",
    "LANG",
    "LC_ALL",
    "LD_PRELOAD",
    "MALLOC_PERTURB_",
    "MIOPEN_DEBUG_CONV_DETERMINISTIC",
    "MKL_CBWR",
    "MKL_DYNAMIC",
    "MKL_ENABLE_INSTRUCTIONS",
    "MKL_NUM_THREADS",
    "NCCL_ALGO",
    "NCCL_PROTO",
    "NUMEXPR_NUM_THREADS",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_DYNAMIC",
    "OMP_NUM_THREADS",
    "OMP_PROC_BIND",
    "OMP_SCHEDULE",
    "ONEDNN_DEFAULT_FPMATH_MODE",
    "ONEDNN_MAX_CPU_ISA",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONOPTIMIZE",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_JIT",
    "PYTORCH_TUNABLEOP_ENABLED",
    "ROCR_VISIBLE_DEVICES",
    "TF_DETERMINISTIC_OPS",
    "TORCHINDUCTOR_DETERMINISTIC",
    "TORCHINDUCTOR_MAX_AUTOTUNE",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCH_BLAS_PREFER_CUBLASLT",
    "TORCH_COMPILE_DISABLE",
    "TZ",
    "VECLIB_MAXIMUM_THREADS",
    "XLA_FLAGS",
)
"""Names of the variables that are captured; no other variable is looked at."""

MASKED = "masked: looks like a secret"

_PREFIXES = re.compile(r"(?:gh[opsu]_|github_pat_|hf_|sk-|xox[abpr]-|AKIA|ASIA|AIza|glpat-|eyJ)\w")
# Twenty characters or more without a separator, letters and digits mixed, is no setting.
_LONG_WORD = re.compile(r"(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])[\w+/=-]{20,}")
_CREDENTIALS = re.compile(r"://[^/\s]*@")
_CLEAR = re.compile(r"^[a-z0-9_.:,=-]*$")
_MAX_LENGTH = 500


def relevant_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """The captured variables, by name; a value that looks like a secret is masked.

    Args:
        environment: Most often `os.environ`.
    """
    return {name: masked(environment[name]) for name in RELEVANT if name in environment}


def masked(value: str) -> str:
    """A value as it may be written to a file: itself, cut, or `MASKED`."""
    if _PREFIXES.search(value) or _CREDENTIALS.search(value) or _has_secret_word(value):
        return MASKED
    return value[:_MAX_LENGTH]


def _has_secret_word(value: str) -> bool:
    return any(
        _LONG_WORD.fullmatch(part) and not _is_setting(part)
        for word in re.split(r"[:;,\s]", value)
        # A path is a secret only where one of its parts is.
        for part in (word.split("/") if word.startswith(("/", "./", "~")) else [word])
    )


def _is_setting(word: str) -> bool:
    """Whether it is words of lower case with separators, such as glibc.malloc.perturb=165."""
    return _CLEAR.match(word) is not None and re.search(r"[._=]", word) is not None
