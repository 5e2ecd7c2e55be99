"""Variations of scripts that import no torch: what they print is what can part."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from samebits.check.diff.verdict import Verdict
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits
from samebits.check.trials.variation_request import VariationRequest
from samebits.errors import UsageError


@dataclass
class Varied:
    """Checks scripts of the test with variations."""

    folder: Path

    def __call__(self, source: str, *names: str, args: tuple[str, ...] = (), **more) -> Verdict:
        script = self.folder / "script.py"
        script.write_text(textwrap.dedent(source))
        runs = more.pop("budget", 0)
        request = VariationRequest(names=names, **{k: v for k, v in more.items() if k != "control"})
        return check(
            Target(script=script, args=args),
            plan=RunPlan(capture_output=True, control=more.get("control", False)),
            out=self.folder / "runs",
            limits=Limits(runs=runs),
            vary=request,
        )


@pytest.fixture
def varied(tmp_path, monkeypatch) -> Varied:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    return Varied(tmp_path)


def outcomes(verdict: Verdict) -> dict[str, str]:
    return {entry["name"]: entry["verdict"] for entry in verdict.variations}


def test_a_script_that_nothing_changes_is_the_same(varied):
    verdict = varied("print(sorted({'a', 'b', 'c'}))", "hash-seed", "unwatched", "listing")
    assert verdict.verdict == "same"
    assert outcomes(verdict) == dict.fromkeys(("hash-seed", "unwatched", "listing"), "same")
    assert verdict.causes == ()


def test_the_one_thing_that_was_changed_is_the_cause(varied):
    verdict = varied("names = list({'a', 'b', 'c', 'd'})\nprint(names)\n", "listing", "hash-seed")
    assert verdict.verdict == "different"
    assert outcomes(verdict) == {"listing": "same", "hash-seed": "different"}
    (cause,) = verdict.causes
    assert (cause.code, cause.line, cause.confidence) == ("hash-order", 1, "proved")
    assert verdict.first_divergence.kind == "printed"
    assert verdict.agreed


def test_listings_are_blamed_on_the_line_that_lists(varied, tmp_path):
    (tmp_path / "data").mkdir()
    for name in "abc":
        (tmp_path / "data" / name).touch()
    verdict = varied("import os\nprint(len('x'))\nprint(os.listdir('data'))\n", "listing")
    assert outcomes(verdict) == {"listing": "different"}
    assert (verdict.causes[0].code, verdict.causes[0].line) == ("file-order", 3)


def test_another_day_is_blamed_on_the_line_that_asks(varied):
    source = """
        from datetime import date
        print("started")
        print(date.today().year)
        """
    verdict = varied(source, "clock")
    assert outcomes(verdict) == {"clock": "different"}
    assert "printed line 2" in str(verdict.first_divergence.detail)
    assert (verdict.causes[0].code, verdict.causes[0].line) == ("clock", 4)


def test_a_script_that_sees_that_it_is_watched(varied):
    source = """
        import sys
        print("watched" if "samebits" in sys.modules else "alone")
        """
    verdict = varied(source, "unwatched")
    assert verdict.verdict == "different"
    assert outcomes(verdict) == {"unwatched": "different"}
    (cause,) = verdict.causes
    assert (cause.code, cause.confidence) == ("unknown", "likely")
    assert "'watched' when recorded, and 'alone' when not" in verdict.first_divergence.detail


def test_a_script_that_fails_under_a_variation(varied, monkeypatch):
    source = """
        import os
        assert os.environ["OMP_NUM_THREADS"] != "1", "one thread"
        print("fine")
        """
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    verdict = varied(source, "threads")
    assert outcomes(verdict) == {"threads": "failed"}
    assert verdict.verdict == "different"
    entry = verdict.variations[0]
    assert entry["reason"] == "AssertionError: one thread"
    assert entry["first_divergence"]["kind"] == "exit"


def test_what_cannot_be_says_why_and_decides_nothing(varied):
    verdict = varied("print(1)", "unwatched", control=True)
    assert verdict.verdict == "same"
    assert outcomes(verdict) == {"unwatched": "not-applicable"}
    assert "under control" in verdict.variations[0]["reason"]


def test_batches_of_several_sizes(varied):
    source = "import sys\nsize = int(sys.argv[2])\nprint(size // 4 if size > 2 else 1)\n"
    verdict = varied(source, "batch", args=("--size", "4"), batch_flag="--size=2,8")
    assert outcomes(verdict) == {"batch=2": "same", "batch=8": "different"}
    assert verdict.causes[0].code == "batch-size"


def test_runs_that_part_are_not_varied(varied):
    verdict = varied("import os\nprint(os.urandom(4))\n", "listing")
    assert verdict.verdict == "different"
    assert verdict.variations == ()
    assert any(note.startswith("not varied: listing") for note in verdict.notes)


def test_nothing_is_varied_around_what_goes_by_addresses(varied, monkeypatch):
    """Whatever is varied moves objects as well: it would be blamed for that."""
    monkeypatch.delenv("PYTHONHASHSEED")
    verdict = varied("print(id([].append) >> 4 & 0xFFFFFF)\n", "listing", budget=12)
    assert [cause.code for cause in verdict.causes] == ["address-order"]
    assert verdict.minimal_controls == ("addresses", "hash-seed")
    assert verdict.variations == ()
    assert any("changes those too" in note for note in verdict.notes)


def test_what_addresses_change_is_not_blamed_on_what_was_varied(varied):
    """Another hash seed frees blocks in another order: the objects that take them are moved."""
    source = """
        class Thing:
            def __init__(self, number):
                self.number = number

        old = {str(number): Thing(number) for number in range(64)}
        for name in set(old):
            del old[name]
        things = [Thing(number) for number in range(64)]
        print([thing.number for thing in sorted(things, key=id)])
        """
    verdict = varied(source, "hash-seed", control=True)
    assert outcomes(verdict) == {"hash-seed": "not-applicable", "addresses": "different"}
    assert "also moves objects" in verdict.variations[0]["reason"]
    assert [cause.code for cause in verdict.causes] == ["address-order"]


def test_a_variation_without_anything_to_vary_is_not_applicable(varied):
    verdict = varied("print(1)\n", "clock", "listing")
    assert outcomes(verdict)["clock"] == "not-applicable"
    assert "no date" in verdict.variations[0]["reason"]
    assert not any("nothing was varied" in note for note in verdict.notes)
    verdict = varied("print(1)\n", "clock", "workers")
    assert set(outcomes(verdict).values()) == {"not-applicable"}
    assert any("asked for (clock, workers) is not applicable" in note for note in verdict.notes)


def test_all_but_some():
    chosen = VariationRequest(names=("all",), leave_out=("threads", "isa")).chosen()
    assert "memory" in chosen
    assert not {"threads", "isa"} & set(chosen)
    assert VariationRequest(names=("isa", "all", "isa")).chosen()[0] == "isa"


@pytest.mark.parametrize(
    "asked",
    [VariationRequest(names=("thread",)), VariationRequest(names=("all",), leave_out=("x",))],
)
def test_an_unknown_variation_lists_the_choices(asked):
    with pytest.raises(UsageError) as caught:
        asked.chosen()
    assert "hash-seed" in str(caught.value.hint)


def test_batch_needs_its_option():
    with pytest.raises(UsageError, match="batch"):
        VariationRequest(names=("batch",)).chosen()
