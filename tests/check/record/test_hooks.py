"""Hooks in recorded runs: in place before the script, told of in the manifest."""

from __future__ import annotations

from samebits.check import causes
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.core.interposition.surroundings import HookSpec, Surroundings

UNSEEDED = """
    import random
    import numpy as np
    print(random.Random().random(), np.random.default_rng().random(), random.random())
    """


def run(scripts, source, **options):
    path = scripts.write(source)
    return scripts.run(Target(script=path), capture_output=True, **options)


def printed(result):
    return Trace.open(result.folder).output()


def test_control_seeds_what_has_no_seed_and_says_so(scripts):
    first, second = (run(scripts, UNSEEDED, control=True) for _ in range(2))
    assert printed(first) == printed(second)
    assert first.acted["seeds"] == 2
    (note,) = [n for n in Trace.open(first.folder).manifest.notes if "without a seed" in n]
    assert note == "2 generators were made without a seed: they were given one each"
    other = run(scripts, UNSEEDED, control=True, seed=1)
    assert printed(other) != printed(first)


def test_what_a_library_makes_while_it_is_imported_is_not_counted(scripts, monkeypatch):
    """Nobody can give those a seed; the script's own modules are imported too, and count."""
    (scripts.folder / "helper.py").write_text("import random\nOWN = random.Random()\n")
    result = run(scripts, "import helper\nimport torch._dynamo\n", control=True)
    assert result.acted["seeds"] == 1


def test_as_written_nothing_acts(scripts):
    first, second = (run(scripts, UNSEEDED) for _ in range(2))
    assert printed(first) != printed(second)
    assert first.acted == {}


def test_surroundings_reach_the_script(scripts, monkeypatch):
    monkeypatch.setenv("GONE", "1")
    source = """
        import os, sys, time
        print(sys.argv[1:], os.environ.get("GONE"), os.environ["NEW"], time.time(), hash("a"))
        """
    surroundings = (
        causes.pin("clock").surroundings()
        | causes.pin("hash-seed").surroundings()
        | Surroundings(environment={"GONE": None, "NEW": "1"}, argv=("--batch", "3"))
    )
    results = [run(scripts, source, surroundings=surroundings) for _ in range(2)]
    printed = [Trace.open(result.folder).output().split("\t")[1] for result in results]
    assert printed[0] == printed[1]
    assert printed[0].startswith("['--batch', '3'] None 1 1704189600.0")
    assert results[0].acted["clock"] >= 1
    # The recording measures its own time.
    assert 0 < Trace.open(results[0].folder).manifest.seconds < 600


def test_an_unknown_hook_is_told(scripts):
    surroundings = Surroundings(hooks=(HookSpec(name="clok"),))
    result = run(scripts, "print(1)", surroundings=surroundings)
    assert result.exit_code == 0
    assert "there is no hook 'clok'" in result.failure
    assert "did you mean clock?" in result.failure


def test_options_are_plain_values():
    assert RunPlan() == RunPlan(surroundings=Surroundings())


def test_a_held_run_that_is_stopped_takes_away_what_it_made(scripts):
    """Else the next one would find it, and differ by that."""
    source = """
        open("made.txt", "w").close()
        import torch
        torch.ones(2)
        torch.ones(3)
        """
    held = causes.pin("files").surroundings()
    result = run(scripts, source, surroundings=held, stop_row=0, level="op")
    assert Trace.open(result.folder).manifest.exit["reason"] == "stopped-at-row"
    assert not (scripts.folder / "made.txt").exists()
