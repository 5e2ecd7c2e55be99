from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import torch

from samebits.errors import UsageError
from samebits.training.control import audit, deterministic
from samebits.training.control.switches import NAMES


def test_reads_every_switch_and_is_json() -> None:
    report = audit()
    assert tuple(reading.name for reading in report.readings) == NAMES
    rows = json.loads(json.dumps(report.to_json()))
    assert set(rows[0]) == {"name", "setting", "wanted", "actual", "holds", "reason"}
    assert len(str(report).splitlines()) == len(NAMES)


def test_sees_what_someone_reset_in_the_meantime() -> None:
    with deterministic():
        assert audit()["cudnn-benchmark"].holds is True
        torch.backends.cudnn.benchmark = True
        torch.use_deterministic_algorithms(False)
        report = audit()
        assert report["cudnn-benchmark"].holds is False
        assert report["cudnn-benchmark"].actual is True
        assert {"deterministic-algorithms", "cudnn-benchmark"} <= {r.name for r in report.broken}
        assert not report.holds


def test_stricter_than_asked_for_holds() -> None:
    with deterministic("error"):
        assert audit(mode="warn")["deterministic-algorithms"].holds is True
    with deterministic("warn"):
        assert audit(mode="error")["deterministic-algorithms"].holds is False


def test_threads_are_judged_only_when_asked_for() -> None:
    assert audit()["torch-threads"].holds is None
    assert audit(threads=torch.get_num_threads())["torch-threads"].holds is True
    assert audit(threads=torch.get_num_threads() + 1)["torch-threads"].holds is False


def test_kept_switches_are_read_and_not_judged() -> None:
    reading = audit(keep=["cudnn-deterministic"])["cudnn-deterministic"]
    assert (reading.actual, reading.holds, reading.reason) == (False, None, "kept as it is")


def test_a_switch_that_cannot_be_read_does_not_end_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> bool:
        raise OSError("gone")

    monkeypatch.setattr(torch.backends.cuda, "fp16_bf16_reduction_math_sdp_allowed", fail)
    reading = audit()["attention-reduction"]
    assert (reading.holds, reading.reason) == (None, "could not be read: OSError: gone")


def test_imports_neither_torch_nor_numpy(run_python: Callable[..., str]) -> None:
    code = (
        "import sys\n"
        "from samebits.training.control import audit\n"
        "report = audit()\n"
        "assert not {'torch', 'numpy'} & set(sys.modules), 'imported'\n"
        "print(report['cudnn-benchmark'].reason)"
    )
    assert run_python(code) == "not applicable: torch was not imported"


@pytest.mark.parametrize(
    ("variable", "late", "arguments", "reads"),
    [
        ("7", "", [], "7 True"),
        ("0", "", [], "0 True"),
        ("random", "", [], "random False"),
        ("random", "7", [], "random False"),
        ("7", "9", [], "7 True"),
        ("7", "", ["-E"], "random False"),
    ],
)
def test_hash_seed_is_the_one_the_interpreter_started_with(
    run_python: Callable[..., str], variable: str, late: str, arguments: list[str], reads: str
) -> None:
    code = (
        "import os, sys\n"
        "sys.path.insert(0, {path!r})\n"
        "if {late!r}: os.environ['PYTHONHASHSEED'] = {late!r}\n"
        "from samebits.training.control import audit\n"
        "r = audit()['hash-seed']; print(r.actual, r.holds)"
    )
    import samebits

    source = str(samebits.__path__[0]).removesuffix("/samebits")
    text = code.format(path=source, late=late)
    assert run_python(text, *arguments, PYTHONHASHSEED=variable) == reads


def test_a_wanted_hash_seed_is_compared(run_python: Callable[..., str]) -> None:
    code = (
        "from samebits.training.control import audit\n"
        "print([audit(hash_seed=n)['hash-seed'].holds for n in (7, 8)])"
    )
    assert run_python(code, PYTHONHASHSEED="7") == "[True, False]"


def test_bad_arguments_are_named() -> None:
    with pytest.raises(UsageError, match="hash seed must lie between 0 and 4294967295"):
        audit(hash_seed=2**32)
    with pytest.raises(UsageError, match="no switch called"):
        audit(keep=["cudnn"])
    with pytest.raises(KeyError):
        audit()["cudnn"]
