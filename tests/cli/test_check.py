from __future__ import annotations

import dataclasses
import json
import tempfile
from pathlib import Path

import pytest

from samebits.errors import RecordError


def test_the_script_runs_as_written_unless_told_otherwise(cli, engine):
    result = cli("check", "train.py")
    assert result.exit_code == 0
    assert result.stdout.startswith("-- SAME ---")
    call = engine.only_call
    assert call.target.script == Path("train.py")
    assert (call.target.module, call.target.args) == (None, ())
    assert call.runs == 2
    assert call.out.parent == Path("runs")
    assert (call.plan.level, call.plan.steps, call.plan.timeout) == ("auto", None, None)
    assert (call.plan.control, call.plan.seed) == (False, 0)
    assert call.plan.capture_output


def test_options_reach_the_experiment(cli, engine, tmp_path):
    out = tmp_path / "kept" / "runs"
    options = ["--runs", "3", "--steps", "5", "--level", "module", "--timeout", "1.5", "--control"]
    assert cli("check", *options, "--out", out, "train.py").exit_code == 0
    call = engine.only_call
    assert (call.runs, call.out) == (3, out)
    assert (call.plan.level, call.plan.steps, call.plan.timeout) == ("module", 5, 1.5)
    assert call.plan.control
    assert out.is_dir()


def test_a_seed_implies_control(cli, engine):
    assert cli("check", "--seed", 2**64 - 1, "train.py").exit_code == 0
    assert (engine.only_call.plan.control, engine.only_call.plan.seed) == (True, 2**64 - 1)


def test_everything_after_the_script_is_the_scripts(cli, engine):
    arguments = ("--help", "--runs", "7", "-m", "--", "-", "--json=x", "")
    assert cli("check", "--runs", 2, "train.py", *arguments).exit_code == 0
    assert engine.only_call.target.args == arguments


def test_everything_after_a_module_is_the_modules(cli, engine):
    assert cli("check", "-m", "train", "--lr", "0.1", "-m", "x").exit_code == 0
    target = engine.only_call.target
    assert (target.script, target.module) == (None, "train")
    assert target.args == ("--lr", "0.1", "-m", "x")


@pytest.mark.parametrize(
    ("verdict", "code"), [("same", 0), ("different", 1), ("failed", 3), ("incomplete", 4)]
)
def test_the_verdict_is_the_exit_code(cli, engine, same, verdict, code):
    engine.verdict = dataclasses.replace(same, verdict=verdict)
    result = cli("check", "train.py")
    assert result.exit_code == code
    assert verdict.upper() in result.stdout


@pytest.mark.parametrize(("verdict", "code"), [("incomplete", 0), ("different", 1), ("failed", 3)])
def test_incomplete_may_be_accepted_and_is_said_all_the_same(cli, engine, same, verdict, code):
    engine.verdict = dataclasses.replace(same, verdict=verdict)
    result = cli("check", "--accept-incomplete", "train.py")
    assert result.exit_code == code
    assert verdict.upper() in result.stdout


def test_lines_to_be_ignored_are_left_out_while_runs_are_compared(cli, engine, monkeypatch):
    from samebits.check.diff.printed_text import ignored_patterns
    from samebits.check.trials import experiment

    seen = []
    check = experiment.check
    monkeypatch.setattr(
        experiment, "check", lambda *a, **k: seen.append(ignored_patterns()) or check(*a, **k)
    )
    assert (
        cli("check", "--ignore-output", "^id", "--ignore-output", "x$", "train.py").exit_code == 0
    )
    assert (seen, ignored_patterns()) == ([("^id", "x$")], ())


def test_an_expression_that_is_none_is_refused_before_anything_runs(cli, engine):
    result = cli("check", "--ignore-output", "(", "train.py")
    assert result.exit_code == 2
    assert "--ignore-output '(' is no regular expression" in result.stderr
    assert engine.calls == []


def test_the_verdict_file_is_written_beside_the_panel(cli, engine, different, tmp_path):
    engine.verdict = different
    result = cli("check", "--json", "verdict.json", "train.py")
    assert result.exit_code == 1
    assert "DIFFERENT" in result.stdout
    content = json.loads((tmp_path / "verdict.json").read_text())
    assert content["first_divergence"]["op"] == "aten.mm"


def test_json_on_standard_output_stands_alone(cli, engine):
    result = cli("check", "--json", "-", "train.py")
    assert json.loads(result.stdout)["verdict"] == "same"
    assert "-- SAME" in result.stderr


def test_quiet_says_it_in_a_line(cli, engine, different):
    engine.verdict = different
    result = cli("check", "-q", "train.py")
    assert result.stdout == "different: aten.mm at train.py:1\n"
    assert result.stderr == ""


def test_a_log_names_each_run_once(cli, engine):
    assert cli("check", "train.py").stderr == "samebits: run 1 of 2\nsamebits: run 2 of 2\n"


def test_warnings_of_the_compiler_are_left_to_the_run(cli, engine, tmp_path):
    (tmp_path / "warns.py").write_text("x = 1 is 1\n'\\d'\n")
    result = cli("check", "--quiet", "warns.py")
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_syntax_error_is_shown_before_anything_runs(cli, engine, tmp_path):
    (tmp_path / "wrong.py").write_text("x = (1,\n")
    result = cli("check", "wrong.py")
    assert result.exit_code == 2
    assert result.stderr == (
        "samebits: error: wrong.py:1 has a syntax error: '(' was never closed\n"
        "    x = (1,\n        ^\n"
    )
    assert engine.calls == []


def test_control_c_is_130(cli, engine):
    engine.error = KeyboardInterrupt()
    result = cli("check", "train.py")
    assert result.exit_code == 130
    assert "samebits: the recorded runs are kept in runs/" in result.stderr
    assert result.stderr.endswith("samebits: interrupted\n")


def test_an_error_of_samebits_is_a_message_and_2(cli, engine):
    engine.error = RecordError("cannot start \x1b[31m python", hint="install it\nsoon")
    result = cli("check", "--quiet", "train.py")
    assert result.exit_code == 2
    assert result.stderr == (
        "samebits: error: cannot start \\x1b[31m python\n  install it\n  soon\n"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--nope"], "No such option: --nope"),
        (["--runs", "1"], "'--runs'"),
        (["--steps", "0"], "'--steps'"),
        (["--level", "fine"], "'fine'"),
        (["--seed", "-1"], "-1 is not in the range from 0"),
        (["--seed", str(2**64)], "is not in the range from 0"),
        (["--timeout", "0"], "--timeout must be a number of seconds above 0, not 0"),
        (["--timeout", "nan"], "above 0, not nan"),
        (["--json", "."], ". is no file that can be written"),
        (["--json", "no/v.json"], "there is no folder"),
        (["--out", "train.py"], "train.py is a file, not a folder"),
        (["--out", "train.py/sub"], "cannot write into the folder train.py/sub"),
    ],
)
def test_wrong_options_stop_before_anything_runs(cli, engine, options, message):
    result = cli("check", *options, "train.py")
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""
    assert engine.calls == []


@pytest.mark.parametrize("file", ["results.csv", "run-1/model.pt", "figures/old/loss.png"])
def test_a_folder_with_other_files_is_refused(cli, engine, tmp_path, file):
    path = tmp_path / "kept" / file
    path.parent.mkdir(parents=True)
    path.touch()
    result = cli("check", "--out", "kept", "train.py")
    assert result.exit_code == 2
    assert "kept contains files that are not recorded runs" in result.stderr
    assert engine.calls == []


def test_a_folder_of_runs_is_used_again(cli, engine, tmp_path):
    for run in ("run-1", "run-2", "attribution/seeds-1"):
        (tmp_path / "kept" / run).mkdir(parents=True)
        (tmp_path / "kept" / run / "manifest.json").touch()
    assert cli("check", "--out", "kept", "train.py").exit_code == 0
    assert engine.only_call.reuse


def test_runs_are_made_anew_on_request(cli, engine):
    cli("check", "--fresh", "train.py")
    assert not engine.only_call.reuse


@pytest.mark.parametrize(
    ("options", "budget"), [((), 24), (("--budget", "4"), 4), (("--no-attribute",), 0)]
)
def test_further_runs_have_a_budget(cli, engine, options, budget):
    cli("check", *options, "train.py")
    assert engine.only_call.limits.runs == budget


def test_a_folder_without_rights_is_named(cli, engine, monkeypatch):
    def denied(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", denied)
    result = cli("check", "--out", "locked", "train.py")
    assert result.exit_code == 2
    assert "cannot write into the folder locked: Permission denied" in result.stderr
    assert engine.calls == []


@pytest.mark.parametrize(
    ("options", "names", "leave_out"),
    [
        (["--vary", "threads,isa"], ("threads", "isa"), ()),
        (["--vary", "threads", "--vary", "isa"], ("threads", "isa"), ()),
        (["--vary", "all", "--dont-vary", "isa,memory"], ("all",), ("isa", "memory")),
        (["--batch-flag", "--size=4"], ("batch",), ()),
        ([], (), ()),
    ],
)
def test_what_is_varied(cli, engine, options, names, leave_out):
    assert cli("check", *options, "train.py").exit_code == 0
    request = engine.only_call.vary
    assert (request.names, request.leave_out) == (names, leave_out)
    assert request.batch_flag == ("--size=4" if names == ("batch",) else None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--vary", "thread"], "did you mean threads?"),
        (["--vary", "all", "--dont-vary", "clocks"], "did you mean clock?"),
        (["--dont-vary", "isa"], "--vary all"),
        (["--vary", "batch"], "--batch-flag"),
        (["--vary", "listing,,threads,"], "--vary has an empty name in 'listing,,threads,'"),
        (["--vary", ""], "--vary has an empty name"),
        (["--vary", "all", "--dont-vary", "isa,"], "--dont-vary has an empty name in 'isa,'"),
    ],
)
def test_what_cannot_be_varied_is_refused_before_any_run(cli, engine, options, said):
    result = cli("check", *options, "train.py")
    assert result.exit_code == 2
    assert said in result.output
    assert engine.calls == []
