"""A command that is a Python script is accepted in a script's place; any other is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from samebits.cli.program import python_program
from samebits.errors import UsageError


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Puts a command with this first line on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(name: str, content: str | bytes) -> Path:
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o755)
        return path

    return make


def test_a_script_of_this_environment_is_found(command):
    path = command("train-it", f"#!{sys.executable}\nprint(1)\n")
    assert python_program("train-it") == path
    long = command("train-long", f"#!/bin/sh\n'''exec' \"{sys.executable}\" \"$0\" \"$@\"\n' '''\n")
    assert python_program("train-long") == long


def test_commands_beside_the_interpreter_are_found_without_the_path(command):
    assert python_program("torchrun") == Path(sys.executable).parent / "torchrun"


@pytest.mark.parametrize("name", ["", "no-such-command", "./train-it", "bin/train-it", "-m"])
def test_what_is_no_command_is_none(command, name):
    assert python_program(name) is None


@pytest.mark.parametrize("content", [b"#!/bin/sh\necho 1\n", b"\x7fELF\x00", b"", b"print(1)\n"])
def test_another_program_is_refused_with_a_reason(command, content):
    command("train-it", content)
    with pytest.raises(UsageError, match="is no Python script"):
        python_program("train-it")


def test_a_script_of_another_environment_is_refused_with_what_to_do(command):
    command("train-it", "#!/elsewhere/bin/python3\n")
    with pytest.raises(UsageError, match="belongs to another Python") as error:
        python_program("train-it")
    assert "-m torch.distributed.run" in (error.value.hint or "")
