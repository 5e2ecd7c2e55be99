from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from samebits.errors import UsageError
from samebits.training.control import ProcessControls, address_space, process

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")


def test_an_empty_environment_gets_every_variable() -> None:
    assert ProcessControls(threads=3).environment({}) == {
        "PYTHONHASHSEED": "0",
        "TORCHINDUCTOR_DETERMINISTIC": "1",
        "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
        "NVIDIA_TF32_OVERRIDE": "0",
        "NCCL_ALGO": "Ring",
        "NCCL_PROTO": "Simple",
        "NCCL_NVLS_ENABLE": "0",
        "MKL_CBWR": "AUTO",
        "OMP_NUM_THREADS": "3",
        "MKL_NUM_THREADS": "3",
        "OPENBLAS_NUM_THREADS": "3",
        "OMP_DYNAMIC": "FALSE",
        "MKL_DYNAMIC": "FALSE",
    }


def test_without_a_number_of_threads_none_is_set() -> None:
    environment = ProcessControls().environment({"OMP_NUM_THREADS": "5"})
    assert environment["OMP_NUM_THREADS"] == "5"
    assert "MKL_NUM_THREADS" not in environment


def test_equally_deterministic_choices_of_the_person_stay() -> None:
    chosen = {
        "PYTHONHASHSEED": "123",
        "CUBLAS_WORKSPACE_CONFIG": ":16:8",
        "NCCL_ALGO": "Tree",
        "NCCL_PROTO": "LL128",
        "MKL_CBWR": "AVX2",
        "OMP_DYNAMIC": "false",
        "UNRELATED": "x",
    }
    environment = ProcessControls(threads=2).environment(chosen)
    assert {name: environment[name] for name in chosen} == chosen


def test_other_choices_are_replaced_and_the_base_is_not_changed() -> None:
    base = {
        "PYTHONHASHSEED": "random",
        "CUBLAS_WORKSPACE_CONFIG": ":4096:2:16:8",
        "NCCL_ALGO": "NVLS",
        "MKL_CBWR": "off",
        "OMP_NUM_THREADS": "64",
        "TORCHINDUCTOR_DETERMINISTIC": "0",
    }
    given = dict(base)
    environment = ProcessControls(threads=2).environment(base)
    assert base == given
    assert [environment[name] for name in base] == ["0", ":4096:8", "Ring", "AUTO", "2", "1"]


def test_a_hash_seed_that_was_asked_for_wins() -> None:
    assert ProcessControls(hash_seed=9).environment({"PYTHONHASHSEED": "1"}) == {
        **ProcessControls().environment({}),
        "PYTHONHASHSEED": "9",
    }


def test_kept_switches_stay_as_the_person_has_them() -> None:
    keep = ["hash-seed", "nvidia-tf32", "inductor-deterministic", "cublas-workspace"]
    environment = ProcessControls(keep=keep).environment({"CUBLAS_WORKSPACE_CONFIG": "odd"})
    assert environment["CUBLAS_WORKSPACE_CONFIG"] == "odd"
    for name in ("PYTHONHASHSEED", "NVIDIA_TF32_OVERRIDE", "TORCHINDUCTOR_DETERMINISTIC"):
        assert name not in environment


@pytest.mark.parametrize(
    "arguments", [{"hash_seed": -1}, {"hash_seed": 2**32}, {"threads": 0}, {"keep": ["x"]}]
)
def test_bad_controls_are_named_at_once(arguments: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        ProcessControls(**arguments)  # type: ignore[arg-type]


def test_a_controlled_process_holds_what_only_a_launcher_can_set() -> None:
    code = (
        "import torch\n"
        "from samebits.training.control import audit\n"
        "report = audit(threads=2)\n"
        "names = ['hash-seed', 'mkl-reproducibility', 'torch-threads', 'omp-threads',"
        " 'mkl-threads', 'openblas-threads', 'omp-dynamic', 'mkl-dynamic',"
        " 'inductor-deterministic']\n"
        "print([name for name in names if report[name].holds is False])"
    )
    environment = ProcessControls(threads=2).environment(os.environ)
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.strip() == "[]", done.stderr


# --- addresses --------------------------------------------------------------------------------

PRINT_ADDRESSES = "import ctypes; print(id(object()), ctypes.addressof(ctypes.c_int()))"


@LINUX
def test_the_next_program_gets_the_same_addresses_each_time() -> None:
    """Run once to switch it off and execute the program, as a launcher does."""
    launch = (
        "import os, sys\n"
        "from samebits.training.control.process import disable_address_randomization\n"
        "outcome = disable_address_randomization()\n"
        "if not outcome: print('cannot:', outcome.reason); raise SystemExit\n"
        "sys.stdout.flush()\n"
        "os.execv(sys.executable, [sys.executable, '-c', sys.argv[1]])"
    )

    def run() -> str:
        code = (
            "from samebits.training.control import audit\n"
            "print(audit()['address-layout'].actual)\n" + PRINT_ADDRESSES
        )
        done = subprocess.run(
            [sys.executable, "-c", launch, code],
            env={**os.environ, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        return done.stdout

    first = run()
    if first.startswith("cannot:"):
        pytest.skip(f"the kernel refuses here: {first}")
    assert first.startswith("fixed")
    assert [run() for _ in range(3)] == [first] * 3


@LINUX
@pytest.mark.parametrize(
    ("personality", "level", "enabled"),
    [
        ("00000000", "2", True),
        ("00040000", "2", False),
        ("00000000", "0", False),
        ("00440008", "1", False),
    ],
)
def test_reads_the_kernels_word(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    personality: str,
    level: str,
    enabled: bool,
) -> None:
    for name, text in (("_PERSONALITY", personality), ("_RANDOMIZE_VA_SPACE", level)):
        (tmp_path / name).write_text(text + "\n")
        monkeypatch.setattr(address_space, name, tmp_path / name)
    assert process.address_randomization_enabled() is enabled


@LINUX
def test_says_when_the_kernel_does_not_tell(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(address_space, "_PERSONALITY", tmp_path / "missing")
    assert process.address_randomization_enabled() is None
    assert "cannot be read" in str(address_space.address_randomization().reason)


def test_other_platforms_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    outcome = process.disable_address_randomization()
    assert not outcome
    assert outcome.reason == "win32 offers no call for it"
    assert process.address_randomization_enabled() is None


class FakeLibc:
    """Stands for the C library: notes what `personality` is called with."""

    def __init__(self, *answers: int) -> None:
        self.asked: list[int] = []
        self._answers = list(answers)

    @property
    def personality(self) -> Callable[[int], int]:
        def personality(value: int) -> int:
            self.asked.append(value)
            return self._answers.pop(0)

        return personality


@LINUX
def test_the_other_bits_of_the_personality_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    libc = FakeLibc(0x8, 0x8)
    monkeypatch.setattr(address_space.ctypes, "CDLL", lambda *_, **__: libc)
    monkeypatch.setattr(address_space, "address_randomization_enabled", lambda: False)
    assert process.disable_address_randomization()
    assert libc.asked == [0xFFFFFFFF, 0x40008]


@LINUX
@pytest.mark.parametrize("answers", [(-1,), (0, -1)])
def test_a_refused_call_is_not_pretended(
    monkeypatch: pytest.MonkeyPatch, answers: tuple[int, ...]
) -> None:
    monkeypatch.setattr(address_space.ctypes, "CDLL", lambda *_, **__: FakeLibc(*answers))
    outcome = process.disable_address_randomization()
    assert not outcome
    assert "personality() failed" in str(outcome.reason)


@LINUX
def test_an_ignored_call_is_not_pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address_space.ctypes, "CDLL", lambda *_, **__: FakeLibc(0, 0))
    monkeypatch.setattr(address_space, "address_randomization_enabled", lambda: True)
    outcome = process.disable_address_randomization()
    assert not outcome
    assert outcome.reason == "personality() was accepted and changed nothing"


@LINUX
def test_programs_start_with_and_without_randomization() -> None:
    ask = [sys.executable, "-c", "print(open('/proc/self/personality').read())"]

    def flag() -> int:
        return int(subprocess.check_output(ask, text=True), 16) & 0x40000

    before = flag()
    with address_space.programs_at("fixed") as worked:
        if not worked:
            pytest.skip(f"this machine does not let it be changed: {worked.reason}")
        assert flag()
        with address_space.programs_at("as-is"):
            assert flag()
        with address_space.programs_at("random"):
            assert not flag()
        assert flag()
    assert flag() == before


# --- threads ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["4", " 4 "])
def test_the_persons_number_of_threads_is_taken(value: str) -> None:
    assert process.default_threads({"OMP_NUM_THREADS": value}) == 4


@pytest.mark.parametrize("value", ["", "0", "4,2", "many"])
def test_without_a_number_the_cores_are_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, value: str
) -> None:
    for cpu, siblings in enumerate(["0,2", "1,3", "0,2", "1,3"]):
        (tmp_path / f"cpu{cpu}/topology").mkdir(parents=True)
        (tmp_path / f"cpu{cpu}/topology/thread_siblings_list").write_text(siblings)
    monkeypatch.setattr(process, "_CPUS", tmp_path)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 3}, raising=False)
    assert process.default_threads({"OMP_NUM_THREADS": value}) == 2
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 2, 9}, raising=False)
    assert process.default_threads({}) == 4
    monkeypatch.delattr(os, "sched_getaffinity")
    assert process.default_threads({}) >= 1
