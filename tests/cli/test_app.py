from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from samebits.cli import app as app_module

SAMEBITS = [sys.executable, "-c", "from samebits.cli.app import main; main()"]


def samebits(*arguments, **options):
    environment = {**os.environ, "COLUMNS": "200", "TERMINAL_WIDTH": "200"}
    for name in ("FORCE_COLOR", "SAMEBITS_DEBUG"):
        environment.pop(name, None)
    environment |= options.pop("env", {})
    return subprocess.run(
        [*SAMEBITS, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )


def test_help_lists_the_commands():
    result = samebits("--help")
    assert result.returncode == 0
    for command in ("check", "run", "diff", "explain"):
        assert command in result.stdout


@pytest.mark.parametrize("command", ["check", "run", "diff", "explain"])
def test_help_of_a_command_is_its_docstring(command):
    result = samebits(command, "--help")
    assert result.returncode == 0
    first = getattr(app_module, command).__doc__.splitlines()[0]
    assert first in result.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["check", "no.py"]])
def test_nothing_heavy_is_imported_to_say_little(arguments):
    code = (
        "import sys; from samebits.cli.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print('LOADED', sorted({'torch', 'numpy', 'pyarrow'} & set(sys.modules)))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.stdout.splitlines()[-1] == "LOADED []"


def test_the_version_is_printed():
    result = samebits("--version")
    assert result.returncode == 0
    assert result.stdout.startswith("samebits 0.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--nope"], "No such option: --nope"),
        (["chekc", "train.py"], "No such command 'chekc'"),
        (["check"], "Missing argument 'SCRIPT'"),
        (["check", "--nope", "train.py"], "No such option: --nope"),
        (["run", "."], "samebits: error: . is a directory, not a script"),
        (["diff", "a", "b", "c"], "unexpected extra argument"),
    ],
)
def test_wrong_usage_is_a_message_and_2(arguments, message, tmp_path):
    result = samebits(*arguments, cwd=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


BROKEN = """
import sys, types
run = types.ModuleType("samebits.check.record.run")
class Target:
    def __init__(self, **fields):
        raise {error}
run.Target = Target
sys.modules[run.__name__] = run
from samebits.cli.app import main
main()
"""


def with_fault(error, tmp_path, **environment):
    (tmp_path / "train.py").touch()
    return subprocess.run(
        [sys.executable, "-c", BROKEN.format(error=error), "check", "train.py"],
        env={**os.environ, "SAMEBITS_DEBUG": "", **environment},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_a_fault_of_samebits_is_short_and_says_how_to_report_it(tmp_path):
    result = with_fault("ZeroDivisionError('\\x1b[31mnought')", tmp_path)
    assert result.returncode == 2
    assert "samebits itself failed: ZeroDivisionError: \\x1b[31mnought" in result.stderr
    assert "SAMEBITS_DEBUG=1" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "error", ["ZeroDivisionError()", "__import__('samebits.errors').errors.RecordError('x')"]
)
def test_debugging_shows_the_traceback(tmp_path, error):
    result = with_fault(error, tmp_path, SAMEBITS_DEBUG="1")
    assert result.returncode == 2
    assert "Traceback" in result.stderr


def test_an_interrupt_is_130_without_a_traceback(tmp_path):
    result = with_fault("KeyboardInterrupt", tmp_path)
    assert result.returncode == 130
    assert "Traceback" not in result.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes close otherwise")
def test_a_reader_that_has_gone_is_not_lamented(tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        [*SAMEBITS, "--help"], stdout=writing, stderr=subprocess.PIPE, check=False, timeout=60
    )
    os.close(writing)
    assert result.stderr == b""


def test_a_broken_pipe_in_a_command_is_quiet(engine, cli):
    engine.error = BrokenPipeError(32, "Broken pipe")
    result = cli("check", "--quiet", "train.py")
    assert (result.exit_code, result.stderr) == (2, "")


def test_without_a_command_help_is_shown():
    assert "Usage" in CliRunner().invoke(app_module.app, []).output
