from __future__ import annotations

import os
import sys

import pytest

from samebits.cli.target import require_valid_syntax, resolve_target
from samebits.errors import UsageError


@pytest.fixture
def folder(tmp_path, monkeypatch, engine):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("pass\n")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("raise SystemExit('imported')\n")
    return tmp_path


@pytest.mark.parametrize(
    ("script", "message", "hint"),
    [
        ("trian.py", "there is no script trian.py", "did you mean train.py?"),
        ("nothing-alike", "there is no script nothing-alike", "current directory"),
        ("no/such.py", "there is no script no/such.py", "no directory no either"),
        ("pkg", "pkg is a directory, not a script", "-m pkg"),
        ("--runs", "there is no script --runs", "options of samebits come before"),
        ("a\0b", "embedded null byte|no script a", ""),
        ("x" * 5000, "cannot read x.*(too long|name)", ""),
    ],
)
def test_what_is_no_script_is_refused(folder, script, message, hint):
    with pytest.raises(UsageError, match=message) as caught:
        resolve_target(script, [], is_module=False)
    assert hint in (caught.value.hint or "")


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_a_pipe_is_no_script(folder):
    os.mkfifo("pipe.py")
    with pytest.raises(UsageError, match=r"pipe\.py is not a regular file"):
        resolve_target("pipe.py", [], is_module=False)


def test_a_module_beside_the_person_is_found_without_running_it(folder):
    path = list(sys.path)
    target = resolve_target("pkg.train", ["a"], is_module=True)
    assert (target.module, target.args) == ("pkg.train", ("a",))
    assert sys.path == path
    assert "pkg" not in sys.modules


@pytest.mark.parametrize("name", ["nosuchmodule", "nosuch.train"])
def test_a_module_that_is_not_there_is_refused(folder, name):
    with pytest.raises(UsageError, match="there is no module named nosuch"):
        resolve_target(name, [], is_module=True)


@pytest.mark.parametrize("name", ["train.py/", "a..b", "", "./train", "-x"])
def test_what_is_no_module_name_is_refused(folder, name):
    with pytest.raises(UsageError, match="is no module name"):
        resolve_target(name, [], is_module=True)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\n\ty = = 2\n", "s.py:2 has a syntax error: "),
        (
            "def f():\n    return (1 +\n",
            "s.py:2 has a syntax error: '(' was never closed\n    return (1 +\n           ^",
        ),
        (
            "if 1:\n\tx = 1 $\n",
            "s.py:2 has a syntax error: invalid syntax\n    x = 1 $\n          ^",
        ),
        ("é = 'ü' 3\n", "s.py:1 has a syntax error: "),
        ("\x1b = 1\n", r"\x1b = 1"),
    ],
)
def test_a_syntax_error_shows_the_line_and_a_caret(tmp_path, monkeypatch, source, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.py").write_text(source, encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        require_valid_syntax(tmp_path.joinpath("s.py").relative_to(tmp_path))
    assert message in caught.value.message


@pytest.mark.parametrize("content", [b"\0\0\0", b"\xff\xfe\x00", b"# coding: nope\n"])
def test_bytes_that_are_no_source_are_refused(tmp_path, content):
    path = tmp_path / "s.py"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"s\.py"):
        require_valid_syntax(path)


def test_compiling_runs_nothing_and_takes_no_flags_from_here(tmp_path):
    # This module's own `annotations` future must not leak into the script's compilation.
    path = tmp_path / "s.py"
    path.write_text("print(undefined)\nx: 1 + 1 = 2\n")
    require_valid_syntax(path)
