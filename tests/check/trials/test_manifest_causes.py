"""Runs from two environments: the difference is a cause where an operation shows it."""

from __future__ import annotations

from samebits.check.diff.divergence import compare_traces
from samebits.check.trace.schema import Flag
from samebits.check.trials.manifest_causes import environment_difference, with_cause_from_manifests
from samebits.environment import SCHEMA

HERE = {
    "schema": SCHEMA,
    "torch": {"version": "2.13.0"},
    "processor": {"model": "EPYC", "capability": "AVX2"},
}
THERE = {**HERE, "processor": {"model": "EPYC", "capability": "AVX512"}}
HARMLESS = {**HERE, "system": {"kernel": "5"}}


def verdict_on(make_run, rows, environments=(HERE, THERE)):
    a, b = (
        make_run([row], environment=environment)
        for row, environment in zip(rows, environments, strict=True)
    )
    return with_cause_from_manifests(compare_traces(a, b), a, b)


def test_another_instruction_set_is_the_cause_of_other_sums(make_run):
    verdict = verdict_on(make_run, [{"outputs": 1}, {"outputs": 2}])
    (cause,) = verdict.causes
    assert (cause.code, cause.detail) == ("environment-changed", "processor.capability")
    assert (cause.file, cause.line) == ("train.py", 10)
    assert "AVX2 in A and AVX512 in B" in cause.evidence
    assert "ATEN_CPU_CAPABILITY" in cause.fix


def test_other_random_numbers_are_no_matter_of_the_environment(make_run):
    rows = [{"outputs": n, "flags": int(Flag.RANDOM)} for n in (1, 2)]
    verdict = verdict_on(make_run, rows)
    assert verdict.causes[0].code == "unseeded-rng"
    assert any("environments differ as well" in note for note in verdict.notes)


def test_equal_or_harmlessly_different_environments_change_nothing(make_run):
    rows = [{"outputs": 1}, {"outputs": 2}]
    for environments in ((HERE, HERE), (HERE, HARMLESS), (HERE, {}), ({"torch": 3}, THERE)):
        verdict = verdict_on(make_run, rows, environments)
        assert verdict.causes[0].code == "unknown"
        assert not any("environment" in note for note in verdict.notes)


def test_equal_runs_are_the_same_whatever_the_environments(make_run):
    verdict = verdict_on(make_run, [{}, {}])
    assert verdict.verdict == "same"
    assert verdict.causes == ()


def test_a_manifest_without_an_environment_tells_nothing(make_run):
    assert environment_difference(make_run(), make_run()) is None


def test_names_from_manifests_are_shown_safely(make_run):
    evil = {**HERE, "torch": {"version": "\x1b[31m\n"}}
    verdict = verdict_on(make_run, [{"outputs": 1}, {"outputs": 2}], (HERE, evil))
    assert "\x1b" not in verdict.causes[0].evidence + verdict.causes[0].fix


def test_an_edited_file_is_the_cause_of_what_parts_in_it(make_run):
    sources = [[{"path": f"/home/{n}/train.py", "sha256": n}] for n in "ab"]
    a, b = (make_run([{"outputs": n}], code=code) for n, code in enumerate(sources))
    verdict = with_cause_from_manifests(compare_traces(a, b), a, b)
    (cause,) = verdict.causes
    assert (cause.code, cause.detail, cause.line) == ("code-changed", "train.py", 10)


def test_two_scripts_are_no_versions_of_one(make_run):
    scripts = [{"path": f"/home/{name}.py", "sha256": name} for name in ("mlp", "cnn")]
    a, b = (
        make_run([{"outputs": n, "site": (f"/home/{s['sha256']}.py", 3, "main", "")}], script=s)
        for n, s in enumerate(scripts)
    )
    (cause,) = with_cause_from_manifests(compare_traces(a, b), a, b).causes
    assert (cause.code, cause.detail) == ("code-changed", "mlp.py in A, cnn.py in B")
    assert "two different files" in cause.evidence
    assert "version" not in cause.evidence + cause.fix


def test_an_edit_elsewhere_is_no_cause(make_run):
    sources = [[{"path": "/home/other.py", "sha256": n}] for n in "ab"]
    a, b = (make_run([{"outputs": n}], code=code) for n, code in enumerate(sources))
    assert with_cause_from_manifests(compare_traces(a, b), a, b).causes[0].code == "unknown"


def test_other_arguments_are_told(make_run):
    a, b = (make_run([{"outputs": n}], argv=["train.py", f"--lr={n}"]) for n in (1, 2))
    verdict = with_cause_from_manifests(compare_traces(a, b), a, b)
    assert "the script's arguments differ: --lr=1 in A, --lr=2 in B" in verdict.notes
