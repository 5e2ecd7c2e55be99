"""The lock: hashes, Dockerfile, instructions, and a fresh environment built from it."""

from __future__ import annotations

import json
import shlex

import pytest

from samebits.environment import lock
from samebits.environment.dockerfile import base_image, dockerfile
from samebits.environment.instructions import instructions
from samebits.environment.lock import write_lock
from samebits.environment.packages import files_digest
from samebits.environment.requirements import (
    Requirement,
    read_versions,
    render_requirements,
    resolve_requirements,
)
from samebits.environment.verification import mismatches, verify_lock
from samebits.errors import UsageError

from .conftest import changed, make_wheel


@pytest.fixture
def index(wheels, monkeypatch):
    """pip finds the folder of wheels and nothing else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return wheels


def parse_dockerfile(text: str) -> list[tuple[str, str]]:
    """Instruction and its argument, a line each, comments left out."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found = [tuple(line.split(" ", 1)) for line in lines]
    known = {"FROM", "ENV", "WORKDIR", "COPY", "RUN", "ENTRYPOINT"}
    assert all(len(parts) == 2 and parts[0] in known for parts in found)
    return found  # type: ignore[return-value]


def test_hashes_come_from_the_index(index):
    (found,) = resolve_requirements({"tiny-thing": "1.0+local"})
    assert (found.name, found.version) == ("tiny-thing", "1.0+local")
    assert found.hashes[0].startswith("sha256:")


def test_a_package_in_no_index_is_an_error(index):
    with pytest.raises(UsageError, match="no-such-thing") as caught:
        resolve_requirements({"no-such-thing": "1.0"})
    assert "--skip" in (caught.value.hint or "")


def test_a_lock_reads_as_it_was_rendered(environment, tmp_path):
    wanted = [
        Requirement(name="numpy", version="2.4.6", hashes=("sha256:aa", "sha256:bb")),
        Requirement(name="torch", version="2.13.0+cpu", hashes=("sha256:cc",)),
    ]
    text = render_requirements(wanted, environment)
    assert "--extra-index-url https://download.pytorch.org/whl/cpu\n" in text
    assert "numpy==2.4.6 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n" in text
    (tmp_path / "r.lock").write_text(text)
    assert read_versions(tmp_path / "r.lock") == {"numpy": "2.4.6", "torch": "2.13.0+cpu"}


def test_an_empty_lock_is_an_error(tmp_path):
    (tmp_path / "r.lock").write_text("# nothing\n")
    with pytest.raises(UsageError, match="names no package"):
        read_versions(tmp_path / "r.lock")


def test_the_dockerfile_says_what_was_captured(environment):
    environment = changed(environment, "variables", MKL_CBWR='A"V$X2\\\n')
    parsed = parse_dockerfile(dockerfile(environment, command=["train.py", "--name", 'a "b"']))
    assert parsed[0] == ("FROM", "python:3.11.7-slim-bookworm")
    variables = dict(argument.split("=", 1) for name, argument in parsed if name == "ENV")
    assert variables["OMP_NUM_THREADS"] == '"2"'
    assert variables["PYTHONHASHSEED"] == '"0"'
    assert variables["MKL_CBWR"] == '"A\\"V\\$X2\\\\ "'
    assert any("--require-hashes" in argument for name, argument in parsed if name == "RUN")
    entry = json.loads(next(argument for name, argument in parsed if name == "ENTRYPOINT"))
    assert entry == ["python", "train.py", "--name", 'a "b"']


def test_a_base_with_its_digest_is_taken_as_it_is(environment):
    text = dockerfile(environment, base="python:3.11@sha256:" + "a" * 64)
    assert "FROM python:3.11@sha256:" in text
    assert "can be moved" not in text
    assert "can be moved" in dockerfile(environment)


def test_an_unknown_c_library_gives_the_plain_image(environment):
    assert base_image(changed(environment, "system", libc="musl-1")) == "python:3.11.7-slim"


def test_the_instructions_hold_the_command(environment):
    left_out = {"samebits": "", "tool": "git+https://host/tool@1234", "own": ""}
    text = instructions(environment, command=["train.py", "a b"], left_out=left_out)
    assert shlex.join(["python", "train.py", "a b"]) in text
    assert "export OMP_NUM_THREADS=2" in text
    assert text.splitlines()[-3:] == [
        "- samebits: for `samebits env check` alone, unless the program imports it",
        "- tool: git+https://host/tool@1234",
        "- own",
    ]


def test_the_dockerfile_names_what_it_lacks(environment):
    text = dockerfile(environment, left_out=["samebits", "own"])
    assert "\n# Not in the lock: samebits, own. REPRODUCING.md" in text


def test_mismatches_are_versions_and_files(environment):
    versions = {"numpy": "2.4.6", "rich": "15.0.0", "gone": "1"}
    installed = {"numpy": {"version": "2.4.6", "files": "99"}, "rich": {"version": "14"}}
    found = [(m.package, m.what, m.found) for m in mismatches(versions, environment, installed)]
    assert found == [
        ("numpy", "files", "99"),
        ("rich", "version", "14"),
        ("gone", "version", None),
    ]


def test_a_lock_is_written_and_proved(index, environment, tmp_path, monkeypatch):
    record = "tiny_thing.py,sha256=x,1\n"
    tiny = {"tiny-thing": {"version": "1.0+local", "files": None}, "own": {"version": "0"}}
    tiny["samebits"] = {"version": "9.9"}
    monkeypatch.setattr(lock, "capture", lambda script: changed_packages(environment, tiny))
    monkeypatch.setattr(lock, "packages_in_no_index", lambda: {"own": ""})
    out = tmp_path / "out"
    locked = write_lock(out, command=["train.py"])
    assert [requirement.name for requirement in locked.requirements] == ["tiny-thing"]
    assert locked.left_out == ("own", "samebits")
    assert "\n- own\n- samebits: for" in (out / "REPRODUCING.md").read_text()
    assert verify_lock(out) == []

    with pytest.raises(UsageError, match="would be replaced"):
        write_lock(out)
    # Another file under the same name and version is refused.
    make_wheel(index, "tiny_thing", "1.0+local", {"tiny_thing.py": "VALUE = 2\n"})
    with pytest.raises(UsageError, match="cannot be installed"):
        verify_lock(out)
    assert files_digest(record)


def changed_packages(environment, packages):
    import dataclasses

    return dataclasses.replace(environment, packages=packages)
