"""The table of all entries: what each is inside `exact()`, a line for each outcome.

linalg.norm: float32 float64: 20 of 28; refused: aten._linalg_svd (it is not covered yet)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[3] / "docs" / "operator-database.txt"

HEADER = """\
# torch's operator database inside samebits.exact(): of each entry and dtype how many of torch's
# samples are computed, with equal bits on three builds of torch's kernels (default, AVX2, AVX-512),
# 1, 2 and 7 threads, with gradients, no_grad and inference_mode, from plain, strided, channels-last
# and expanded inputs, forward and backward; and what is refused, and why. Written by
# UPDATE_DOCS=1 python -m pytest -m slow tests/arithmetic/operator_database
"""


def read() -> dict[str, list[str]]:
    """The lines of the table by the entries that they begin with."""
    lines: dict[str, list[str]] = {}
    if PATH.exists():
        for line in PATH.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                lines.setdefault(line.split(": ")[0], []).append(line)
    return lines


def write(lines: Mapping[str, list[str]], torch_version: str) -> None:
    """Write the table anew, the entries in alphabetical order."""
    body = [line for name in sorted(lines) for line in lines[name]]
    text = f"{HEADER}# torch {torch_version}\n\n" + "\n".join(body) + "\n"
    PATH.write_text(text, encoding="utf-8")


def version() -> str | None:
    """The version of torch that the table was made with."""
    if not PATH.exists():
        return None
    lines = PATH.read_text(encoding="utf-8").splitlines()
    return next((line[8:] for line in lines if line.startswith("# torch ")), None)


def described(name: str, by_dtype: Mapping[str, list[dict[str, Any]]]) -> list[str]:
    """The lines of an entry: dtypes with the same outcome share one."""
    if not by_dtype:
        return [f"{name}: no dtype that a CPU computes"]
    texts: dict[str, list[str]] = {}
    for dtype, found in by_dtype.items():
        texts.setdefault(_outcome(found), []).append(dtype)
    return [f"{name}: {' '.join(dtypes)}: {text}" for text, dtypes in texts.items()]


def _outcome(found: list[dict[str, Any]]) -> str:
    counted = [one for one in found if one["forward"] != "torch raises"]
    if not counted:
        return "no samples" if not found else "torch computes none"
    whole = [one for one in counted if not one["why"]]
    parts = [f"{len(whole)} of {len(counted)}"]
    if len(whole) == len(counted):
        parts = [f"all {len(counted)}"]
    for what in ("forward", "backward"):
        reasons = _reasons(one for one in counted if one[what] == "refused")
        if reasons:
            parts.append(f"{what} refused: {', '.join(reasons)}")
    for form in ("in place", "out", "strided", "channels_last", "expanded"):
        if any(form in one["refused_ways"] for one in counted):
            parts.append(f"{form} refused")
    return "; ".join(parts)


def _reasons(refused: Iterable[dict[str, Any]]) -> list[str]:
    return sorted({reason for one in refused for reason in one["why"]})
