"""The line to blame, of values that were followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.culprit_by_values import chosen, of_unwritten
from samebits.check.trials.attribution.culprit_in_ledger import from_ledger, seeded_by_a_name
from samebits.check.trials.attribution.line import line_to_blame
from samebits.check.trials.attribution.seeded_otherwise import seeded_elsewhere
from samebits.check.trials.attribution.where_it_arrives import (
    collected_as_ready,
    where_it_arrives,
)


@pytest.fixture
def followed(tmp_path):
    """Values that differ after each line of a script."""
    script = tmp_path / "train.py"

    def make(*lines: str, given: Mapping[int, str] = MappingProxyType({})) -> ValueDifferences:
        script.write_text("\n".join(lines) + "\n")
        found = [
            ValueDifference(
                file=str(script),
                line=number,
                function="<module>",
                names=(text.removeprefix("if ").split()[0], *given.get(number, "").split()),
                kinds=("int",) * (1 + len(given.get(number, "").split())),
            )
            for number, text in enumerate(lines, start=1)
        ]
        return ValueDifferences(lines=tuple(found))

    return make


@pytest.mark.parametrize(
    "numbered",
    [
        *("pid = os.fork()", "me = os.getpid()", "k = child.pid", "t = threading.get_ident()"),
        "begin = time.time()",
    ],
)
def test_the_number_of_a_process_is_no_result_of_its_timing(followed, numbered):
    name = numbered.split()[0]
    values = followed(
        numbered, f"if {name} == 0: pass", "x = list(pool.imap_unordered(f, range(6)))"
    )
    place = where_it_arrives(values, [])
    assert place is not None
    assert place.line == 3


def test_nor_is_a_name_that_was_made_up_and_what_it_is_put_into(followed):
    values = followed(
        "folder = tempfile.mkdtemp()",
        "path = str(Path(folder) / 'samples.db')",
        "rows = load(path)",
        given={2: "folder", 3: "path"},
    )
    place = where_it_arrives(values, [])
    assert place is not None
    assert (place.line, place.variable) == (3, "rows")


def test_nor_is_the_name_of_a_run_that_a_line_of_a_log_is_made_of(followed):
    lines = (
        "run = uuid.uuid4().hex[:8]",
        "say(f'run {run}')",
        "say(f'run {run}: {count}')",
        "rows = [box.get() for box in boxes]",
    )
    values = followed(*lines)
    told = [
        replace(line, names=("text",), role="argument", callee="say") for line in values.lines[1:3]
    ]
    inside = replace(values.lines[1], function="say", names=("text",), line=2)
    differing = ValueDifferences(lines=(values.lines[0], *told, inside, values.lines[3]))
    place = where_it_arrives(differing, [])
    assert (place.line, place.variable) == (4, "rows")
    others = ValueDifferences(lines=(told[0], values.lines[3]))
    assert where_it_arrives(others, []).line == 2  # it is made of what differs by itself


def test_what_a_function_is_given_besides_is_told_apart_from_a_name(followed):
    lines = ("run = uuid.uuid4().hex", "show(f'run {run}')", "show(box.get())", "y = other()")
    values = followed(*lines)
    given = [
        replace(line, names=("text",), role="argument", callee="show") for line in values.lines[1:3]
    ]
    differing = ValueDifferences(lines=(values.lines[0], *given, values.lines[3]))
    assert where_it_arrives(differing, []).line == 3
    at_once = followed("step(uuid.uuid4().hex)", "step(box.get())", "y = other()")
    given = [
        replace(line, names=("key",), role="argument", callee="step") for line in at_once.lines[:2]
    ]
    assert where_it_arrives(ValueDifferences(lines=(*given, at_once.lines[2])), []).line == 2


def test_variables_of_functions_of_one_name_are_told_apart(followed):
    values = followed("name = uuid.uuid4().hex", "name = box.get()", "y = other()")
    of_run = replace(values.lines[0], function="Run.__init__")
    of_loader = replace(values.lines[1], function="Loader.__init__")
    differing = ValueDifferences(lines=(of_run, of_loader, values.lines[2]))
    assert where_it_arrives(differing, []).line == 2


@pytest.mark.parametrize(
    ("sent", "line"),
    [
        ("self.ready.put(torch.from_numpy(slot))", 2),
        ("self.ready.put(torch.from_numpy(self.buffer))", 2),
        ("self.ready.put(torch.from_numpy(slot.copy()))", 3),
        ("self.ready.put(torch.from_numpy(np.load(path)))", 3),
        ("self.ready.put(slot.copy())", 3),
        ("self.other.put(torch.from_numpy(slot))", 3),
    ],
)
def test_who_sends_a_buffer_as_it_is_is_blamed_before_who_gets_it(followed, sent, line):
    values = followed("slot = slots[step % 4]", sent, "item = feed.ready.get()")
    taken = ValueDifferences(lines=values.lines[2:])
    assert where_it_arrives(taken, []).line == line


def test_of_clocks_that_of_which_something_was_made_by_then_is_chosen(followed):
    begun, seen = "    start = time.perf_counter()", "    seen = time.monotonic()"

    def line(*lines):
        values = followed(*lines)
        stored = [replace(one, names=(n,)) for one, n in zip(values.lines[-3:], "xyz", strict=True)]
        names = ("start", "seen", "w")
        stored = [replace(one, names=(n,)) for one, n in zip(stored, names, strict=True)]
        places = [Culprit(file=one.file, line=one.line) for one in stored[:2]]
        found = chosen(places, ValueDifferences(lines=tuple(stored)), divergence(data=True))
        return found.line - stored[0].line

    assert line("def f():", begun, seen, "    w = g(seen)") == 1
    # Once something is made of both, the order of the places counts; a global may be read anywhere.
    assert line("def f():", begun, seen, "    w = seen - start") == 0
    assert line(begun.strip(), seen.strip(), "w = g(seen)") == 0


@pytest.mark.parametrize(
    ("reads", "chosen_line"),
    [("x = g(now)", 1), ("x = g(self.spent)", 2)],
    ids=["unread", "read"],
)
def test_a_clock_that_adds_up_what_nobody_has_read_by_then_is_not_chosen(
    followed, reads, chosen_line
):
    values = followed("now = time.monotonic()", "self.spent += time.monotonic() - now", reads)
    names = ("now", "self.spent", "x")
    lines = [replace(one, names=(n,)) for one, n in zip(values.lines, names, strict=True)]
    # The last that was read comes first.
    places = [Culprit(file=one.file, line=one.line) for one in lines[1::-1]]
    found = chosen(places, ValueDifferences(lines=tuple(lines)), divergence(data=True))
    assert found.line == chosen_line


def test_where_nothing_else_differs_what_started_them_is_blamed(followed):
    started = Culprit(file="train.py", line=9)
    assert where_it_arrives(followed("pid = os.fork()"), [started]) is started


def test_a_duration_that_is_printed_is_no_result_either(followed):
    """A clock that is pinned goes by the questions asked, and waiting asks."""
    values = followed("t = time.time()", "x = queue.get()", "print(time.time() - t)", "y = f(x)")
    place = where_it_arrives(values, [])
    assert place is not None
    assert place.line == 2


def test_what_differs_inside_a_list_is_blamed_on_the_line_that_collected_it(followed):
    lines = ("rows = []", "rows = list(pool.map(work, range(90)))", "x = [r[0] for r in rows]")
    values = followed(*lines)
    inside = ValueDifferences(lines=values.lines[2:])
    file = inside.lines[0].file
    found = where_it_arrives(inside, [Culprit(file=file, line=2)])
    assert (found.line, found.variable) == (2, "rows")
    for elsewhere in (Culprit(file=file, line=1), Culprit(file="other.py", line=2)):
        found = where_it_arrives(inside, [elsewhere])
        assert (found.line, found.variable) == (3, "x")


def test_who_asks_whether_something_is_ready_is_blamed_before_who_handed_it_over(followed):
    lines = ("jobs.append(pool.submit(f, x))", "n = len(jobs)", "end = any(j.done() for j in jobs)")
    assert where_it_arrives(followed(*lines), []).line == 3
    assert where_it_arrives(followed(*lines[:2]), []).line == 1
    # What arrived from elsewhere before does not wait for such a question.
    assert where_it_arrives(followed("x = results.get()", *lines[1:]), []).line == 1


def test_a_reading_that_is_printed_alone_is_not_chosen(followed):
    lines = ("t = time.time()", "n = 9 if t % 2 < 1 else 8", "s = time.time()", "print(s)")
    values = followed(*lines)
    places = [Culprit(file=values.lines[0].file, line=line) for line in (3, 1)]
    assert chosen(places, values, divergence()).line == 1
    assert chosen(places[:1], values, divergence()).line == 3
    assert chosen([], values, divergence()) is None
    # Where it is printed text that differs, it is what is looked for.
    assert chosen(places, values, divergence(kind="printed")).line == 3


# ---- seeds that are made of several things ------------------------------------------------------


def test_a_reading_where_a_seed_is_made_comes_before_a_later_one():
    seed = entry("numpy-generator", "seed", line=22, other_digest=2, seeded=1, process=1)
    for_the_seed = entry("pid", line=22, process=1, first_row=1)
    for_a_name = entry("pid", line=29, process=1, first_row=2)
    evidence = Evidence(found=divergence(), entries=(seed, for_the_seed, for_a_name))
    asked = [for_the_seed, for_a_name]
    number = Hypothesis(pin="entropy", code="entropy", standing=Standing.NOTED, entries=asked)
    (place,) = from_ledger(number, evidence)
    assert (place.file, place.line, place.seeded) == ("train.py", 22, True)
    unrelated = Evidence(found=divergence(), entries=asked)
    assert [place.line for place in from_ledger(number, unrelated)] == [29, 22]


def test_what_python_draws_changes_no_number_of_torchs():
    """A state that a fork of the generator puts back counts as a seed, and the ledger has none."""
    drawn = entry("python", "draw", 45, seeded=0)
    found = divergence(op="aten.multinomial", random=True, data=False, line=60)
    asked = Hypothesis(pin="seeds", code="unseeded-rng", standing=Standing.NOTED, entries=[drawn])
    (place,) = from_ledger(asked, Evidence(found=found, entries=(drawn,)))
    assert (place.line, place.detail) == (60, "torch-cpu")
    seeded_by_it = entry("torch-cpu", "seed", 46, seeded=1, other_digest=2)
    evidence = Evidence(found=found, entries=(drawn, seeded_by_it))
    assert from_ledger(asked, evidence)[0].line == 45


def test_an_order_of_files_by_their_times_is_blamed_where_it_arrives(followed):
    lines = (
        "name = job.result()",
        "paths = sorted(folder.glob('*.npy'), key=lambda path: path.stat().st_mtime)",
        "x = load(paths)",
        "y = torch.from_numpy(x)",
    )
    values = followed(*lines)
    at = divergence(file=values.lines[0].file, line=4)
    assert where_it_arrives(values, [], at).line == 2
    assert where_it_arrives(followed(lines[0], "paths = [name]", *lines[2:]), [], at).line == 1


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        (("fit()", "load()", "test()"), 1),
        (("def main():", "    fit()", "    load()", "    test()"), 2),
        (("for epoch in range(9):", "    fit()", "    load()", "    test()"), 4),
        (("def step():", "    fit()", "    load()", "    test()"), 4),
    ],
)
def test_a_line_that_comes_after_the_divergence_is_not_named_first(tmp_path, lines, named):
    script = tmp_path / "train.py"
    script.write_text("\n".join(lines) + "\n")
    at = {text.strip(): number for number, text in enumerate(lines, start=1)}
    asked = [
        entry("clock", site=Site(str(script), at[call], "main", ""), detail="time.time")
        for call in ("fit()", "test()")
    ]
    hypothesis = Hypothesis(pin="clock", code="clock", standing=Standing.NOTED, entries=asked)
    found = divergence(file=str(script), line=at["load()"])
    places = from_ledger(hypothesis, Evidence(found=found, entries=tuple(asked)))
    assert len(places) == 2
    assert places[0].line == named


def test_where_a_library_asks_for_the_time_the_line_that_set_how_long_is_named(tmp_path):
    script = tmp_path / "train.py"
    lines = ("saver = ModelCheckpoint(", "    train_time_interval=timedelta(seconds=1))", "fit()")
    script.write_text("\n".join(lines) + "\n")

    def named(detail, *others):
        asked = [entry("clock", site=Site(str(script), 3, "main", ""), detail=detail), *others]
        hypothesis = Hypothesis(pin="clock", code="clock", standing=Standing.NOTED, entries=asked)
        return from_ledger(hypothesis, Evidence(found=divergence(), entries=tuple(asked)))[0]

    place = named("lightning.pytorch.trainer.trainer.Trainer.fit")
    assert (place.line, place.by_source) == (2, True)
    assert "number of steps" in fix("clock", place, frozenset())
    own = entry("clock", site=Site(str(script), 1, "main", ""), detail="time.monotonic")
    assert named("lightning.pytorch.trainer.trainer.Trainer.fit", own).line == 2
    assert named("time.perf_counter").line == named("timeit.timeit").line == 3
    script.unlink()
    assert named("lightning.pytorch.trainer.trainer.Trainer.fit").line == 3
    script.write_text("\n".join(lines).replace("timedelta(seconds=1)", "None"))
    assert named("lightning.pytorch.trainer.trainer.Trainer.fit").line == 3


def test_a_setting_of_time_is_looked_for_in_all_files_that_are_known(tmp_path):
    script, callbacks = tmp_path / "train.py", tmp_path / "callbacks.py"
    script.write_text("fit()\n")
    callbacks.write_text("def snapshots():\n    return Checkpoint(train_time_interval=half)\n")

    def named(*others):
        fit = "lightning.pytorch.trainer.trainer.Trainer.fit"
        asked = [entry("clock", site=Site(str(script), 1, "main", ""), detail=fit)]
        hypothesis = Hypothesis(pin="clock", code="clock", standing=Standing.NOTED, entries=asked)
        evidence = Evidence(found=divergence(), entries=(*asked, *others))
        return from_ledger(hypothesis, evidence)[0]

    listed = entry("listing", "list", site=Site(str(callbacks), 1, "average", ""))
    assert (named(listed).file, named(listed).line) == (str(callbacks), 2)
    assert named().line == 1
    script.write_text("fit(max_time=60)\n")
    assert named().file == str(script)
    assert not named(listed).by_source  # two lines set one


def test_a_clock_that_is_only_printed_is_named_last(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("fit()\nprint(time.time() - begun)\nload()\n")
    asked = [
        entry("clock", site=Site(str(script), line, "<module>", ""), detail="time.time")
        for line in (1, 2)
    ]
    hypothesis = Hypothesis(pin="clock", code="clock", standing=Standing.NOTED, entries=asked)
    found = divergence(file=str(script), line=3)
    places = from_ledger(hypothesis, Evidence(found=found, entries=tuple(asked)))
    assert [place.line for place in places] == [1, 2]


@pytest.mark.parametrize(
    ("maker", "lines"),
    [("gymnasium.spaces.discrete.Discrete", [5]), ("numpy.random.default_rng", [5, 9])],
)
def test_a_space_that_is_sampled_at_one_line_is_the_one_unless_others_draw(maker, lines):
    space = "gymnasium.spaces.discrete.Discrete.sample"
    drawn = entry("numpy-generator", "draw", 5, seeded=0, detail=space)
    made = entry("numpy-generator", "construct", 9, seeded=0, detail=maker)
    number = Hypothesis(
        pin="seeds", code="unseeded-rng", standing=Standing.NOTED, entries=[drawn, made]
    )
    places = from_ledger(number, Evidence(found=divergence(), entries=(drawn, made)))
    assert [place.line for place in places] == lines


def test_a_library_that_asks_how_long_it_takes_is_named_after_a_line_that_asks_itself(followed):
    values = followed("until = pd.Timestamp.now()", "x = torch.tensor(scale.fit_transform(frame))")
    script = values.lines[0].file
    asked = [
        entry("clock", site=Site(script, line, "<module>", ""), detail=detail)
        for line, detail in ((1, "datetime.datetime.now"), (2, "sklearn.Scaler.fit_transform"))
    ]
    hypothesis = Hypothesis(pin="clock", code="clock", standing=Standing.NOTED, entries=asked)
    found = divergence(file=script, line=2)
    places = from_ledger(hypothesis, Evidence(found=found, entries=tuple(asked)))
    assert [place.line for place in places] == [1, 2]
    assert chosen(places, values, found).line == 1
    later = replace(values, lines=values.lines[1:])
    assert chosen(places, later, found) is None
    assert chosen(places[1:], later, found).line == 2


def test_nor_is_the_name_of_shared_memory_that_is_asked_for_later(followed):
    values = followed(
        "memory = SharedMemory(create=True, size=8)",
        "name = memory.name",
        "labels = slots.at(number)",
    )
    place = where_it_arrives(values, [])
    assert place is not None
    assert place.line == 3


def test_a_space_that_is_sampled_is_named_before_what_made_its_generator():
    made = entry("numpy-generator", "construct", 10, seeded=0, detail="gymnasium.make_vec")
    space = "gymnasium.spaces.discrete.Discrete.sample"
    drawn = entry("numpy-generator", "draw", 28, seeded=0, detail=space)
    other = entry("numpy-generator", "draw", 30, seeded=0, detail="numpy.random.Generator.random")

    def first(*entries):
        hypothesis = Hypothesis(
            pin="seeds", code="unseeded-rng", standing=Standing.NOTED, entries=entries
        )
        data = divergence(data=True, random=False)
        return from_ledger(hypothesis, Evidence(found=data, entries=entries))[0].line

    assert first(made, drawn) == 28
    assert first(made, other) == 10


def test_a_seed_of_unknown_origin_leads_to_where_its_generator_was_made():
    # Spawned from a generator whose state was put back: its draw has been overwritten since.
    made = entry("numpy-generator", "construct", 29, seeded=0)
    drawn = entry("numpy-generator", "draw", 9, seeded=0)
    spawned = entry("numpy-generator", "construct", 16, seeded=1, digest=1, other_digest=2)
    evidence = Evidence(found=divergence(data=True), entries=[made, drawn, spawned])
    hypothesis = Hypothesis(
        pin="seeds", code="unseeded-rng", standing=Standing.NOTED, entries=(made, drawn)
    )
    assert [place.line for place in from_ledger(hypothesis, evidence)] == [29]
    without = replace(evidence, entries=[drawn, spawned])
    assert [place.line for place in from_ledger(hypothesis, without)] == [9]
    # Of two that nobody seeded, it may be either one's.
    other = entry("numpy-generator", "construct", 30, seeded=0)
    two = replace(evidence, entries=[made, other, drawn, spawned])
    assert [place.line for place in from_ledger(hypothesis, two)] == [9]
    # numpy's global generator and a RandomState go by one name.
    legacy = [replace(e, row=replace(e.row, source="numpy")) for e in (made, drawn)]
    shared = replace(evidence, entries=[*legacy, spawned])
    assert [place.line for place in from_ledger(hypothesis, shared)] == [9]


def test_a_state_that_is_put_back_unseeded_is_not_where_a_seed_is_missing():
    # torch.random.fork_rng: what draws after it has no seed.
    back = entry(
        "torch-cpu", "seed", 8, seeded=0, detail="contextlib._GeneratorContextManager.__exit__"
    )
    drawn = entry("torch-cpu", "draw", 16, seeded=0)
    found = divergence(line=16, random=True, data=False)
    evidence = Evidence(found=found, entries=[back, drawn])
    hypothesis = Hypothesis(
        pin="seeds", code="unseeded-rng", standing=Standing.NOTED, entries=(back, drawn)
    )
    places = from_ledger(hypothesis, evidence)
    assert [place.line for place in places][:1] == [16]
    by_system = replace(back, row=replace(back.row, detail="torch.random.seed"))
    asked = replace(evidence, entries=[by_system, drawn])
    assert [place.line for place in from_ledger(hypothesis, asked)] == [8]


def test_what_is_printed_in_the_end_is_where_threads_arrive(followed):
    values = followed("x = draw()", "state = state + future.result()", "print(state)")
    inside = replace(values.lines[0], thread="ThreadPoolExecutor-0_0")
    values = replace(values, lines=(inside, values.lines[1]))
    place = where_it_arrives(values, [Culprit(file="train.py", line=9)])
    assert place.line == 2


@pytest.mark.parametrize(("takes", "line"), [("as_completed(futures)", 1), ("futures", 9)])
def test_a_loop_that_takes_results_as_they_are_ready_is_blamed(followed, takes, line):
    values = followed(f"for future in {takes}:", "    state = state + future.result()")
    script = values.lines[0].file
    none = replace(values, lines=(), flow=None)
    at = divergence(file=script, line=2)
    assert where_it_arrives(none, [Culprit(file=script, line=9)], at).line == line


def test_what_differs_earlier_on_the_way_does_not_come_of_a_later_reading(followed):
    values = followed("version = pack(folder)", "note = time.time()", "x = seeded(version)")
    script = values.lines[0].file
    read = [Culprit(file=script, line=2)]
    assert chosen(read, values, divergence(file=script, line=3)).line == 1
    # Where it is on the way itself, or came before, it may be the reason.
    through = followed("version = pack(folder)", "version += time.time()", "x = seeded(version)")
    assert chosen(read, through, divergence(file=script, line=3)).line == 2
    before = followed("note = time.time()", "version = pack(folder)", "x = seeded(version)")
    assert chosen([Culprit(file=script, line=1)], before, divergence(file=script, line=3)).line == 1


def test_the_line_that_reaches_it_is_named_and_not_another_that_differs_first(followed):
    values = followed("tag = name()", "offset = stamp()", "began = time.time()", "x = full(offset)")
    script = values.lines[0].file
    read = [Culprit(file=script, line=3)]
    assert chosen(read, values, divergence(file=script, line=4)).line == 2


def clocks(script, *details):
    """Lines that asked for the time, the first one above, each in a function of that name."""
    return [
        entry("clock", site=Site(script, line, "<module>", ""), detail=detail)
        for line, detail in enumerate(details, start=1)
    ]


def test_a_library_that_asks_for_the_time_passes_on_what_differed_before(followed):
    values = followed("rows = split(version)", "scale = Scaler().fit(rows)", "x = scale(y)")
    script = values.lines[0].file
    (place,) = map(of_entry, clocks(script, "", "sklearn.Scaler.fit")[1:])
    assert chosen([place], values, divergence(file=script, line=3)) is None
    # What it reads is the same in both runs: the time came in here.
    alone = replace(values, lines=values.lines[1:])
    assert chosen([place], alone, divergence(file=script, line=3)).line == 2
    other = followed("note = name()", "scale = Scaler().fit(rows)", "x = scale(y)")
    assert chosen([place], other, divergence(file=script, line=3)).line == 2


ARCHIVES = ("pandas.core.generic.NDFrame.to_csv", "sklearn.Scaler.fit")


def test_an_archive_comes_before_a_duration_that_does_not_reach_the_divergence(followed):
    values = followed("began = time.monotonic()", "key = digest(path)", "x = seeded(key)")
    script = values.lines[0].file
    (own,) = map(of_entry, clocks(script, "time.monotonic"))
    site = Site(script, 9, "export", "")
    archive = of_entry(entry("clock", site=site, detail="pandas.core.generic.NDFrame.to_csv"))
    at = divergence(file=script, line=3)
    assert chosen([own, archive], values, at).line == 9
    assert chosen([own], values, at).line == 1
    told = followed("began = time.monotonic()", "key = digest(path)", "x = seeded(key)")
    (tmp := Path(script)).write_text(f"{tmp.read_text()}print(time.monotonic() - began)\n")
    assert chosen([own], told, at) is None  # it is only printed
    reached = followed("began = time.monotonic()", "key = digest(began)", "x = seeded(key)")
    assert chosen([own, archive], reached, at).line == 1


def test_a_clock_that_an_archive_holds_is_named_before_other_libraries(followed):
    script = followed("frame.to_csv(path)", "scale = Scaler().fit(x)").lines[0].file
    asked = clocks(script, *ARCHIVES)
    hypothesis = Hypothesis(pin="clock", code="clock", standing=Standing.NOTED, entries=asked)
    found = divergence(file=script, line=9)
    places = from_ledger(hypothesis, Evidence(found=found, entries=tuple(asked)))
    assert [place.line for place in places] == [1, 2]


@pytest.mark.parametrize(
    ("lines", "details", "packed", "named"),
    [
        (("kept = frame.to_csv(path)", "key = digest(path)"), ARCHIVES[:1], (), 1),
        (("names = pack(folder)", "key = digest(path)"), (), (7,), 7),
        (("names = pack(folder)", "key = digest(path)"), (), (7, 9), 1),
        (("seed = path.stat().st_mtime", "key = digest(seed)"), (), (7,), 1),
        (("names = pack(folder)", "key = digest(path)"), (), (), 1),
    ],
    ids=["noted", "of files", "two of them", "the time of a file", "none"],
)
def test_an_archive_is_blamed_for_a_seed_of_unknown_origin(followed, lines, details, packed, named):
    values = followed(*lines)
    script = values.lines[0].file
    asked = clocks(script, *details)
    seed = entry("numpy", "seed", 30, seeded=1, other_digest=2)
    evidence = Evidence(
        found=divergence(file=script, line=30),
        entries=(*asked, seed),
        packed=[(script, line) for line in packed],
    )
    later = replace(values, lines=values.lines[1:] if details else values.lines)
    case = SimpleNamespace(orders=None, let_go=lambda *_, follow: later)
    situation = SimpleNamespace(closer=evidence.found)
    hypothesis = Hypothesis(pin="clock", code="clock", standing=Standing.POSSIBLE, entries=asked)
    place = line_to_blame(case, situation, None, hypothesis, evidence)
    assert place.line == named


@pytest.mark.parametrize(
    ("use", "packing", "needs_runs"),
    [
        ("print(time.perf_counter() - began)", "names = pack(folder)", False),
        ("label = f'{began}'", "names = pack(folder)", True),
        ("print(time.perf_counter() - began)", "names = path.stat().st_mtime", True),
    ],
    ids=["printed", "in a text", "beside a file's time"],
)
def test_a_seed_is_not_made_of_a_time_that_is_only_printed(followed, use, packing, needs_runs):
    """Neither is the line blamed, nor is it said that a seed depends on it."""
    script = followed("began = time.perf_counter()", packing, use).lines[0].file
    asked = clocks(script, "time.perf_counter")
    seed = entry("numpy", "seed", 30, seeded=1, other_digest=2)
    evidence = Evidence(
        found=divergence(file=script, line=40),
        entries=(*asked, seed),
        packed=[(script, 2)],
        sources=(script,),
    )
    made = []
    case = SimpleNamespace(orders=None, let_go=lambda *_, follow: made.append(follow))
    situation = SimpleNamespace(closer=evidence.found)
    hypothesis = Hypothesis(pin="clock", code="clock", standing=Standing.POSSIBLE, entries=asked)
    place = line_to_blame(case, situation, None, hypothesis, evidence)
    assert (place.line, bool(made)) == (1 if needs_runs else 2, needs_runs)
    told = seeded_elsewhere(evidence, of_entry(asked[0]))
    assert bool(told) == ("label" in use)


@pytest.mark.parametrize(
    ("use", "named"),
    [("print(time.time() - began)", 2), ("x = seeded(began)", 1)],
    ids=["printed", "used"],
)
def test_a_signal_that_was_asked_for_sets_off_what_no_variable_shows(followed, use, named):
    values = followed("began = time.time()", "signal.setitimer(signal.ITIMER_REAL, 1, 1)", use)
    script, values = values.lines[0].file, replace(values, lines=values.lines[:1])
    read, asked = clocks(script, "time.time", "signal.setitimer")
    asked = replace(asked, row=replace(asked.row, event="start"))
    evidence = Evidence(found=divergence(file=script, line=40), entries=(read, asked))
    case = SimpleNamespace(orders=None, let_go=lambda *_, follow: values)
    situation = SimpleNamespace(closer=evidence.found)
    hypothesis = Hypothesis(
        pin="clock", code="clock", standing=Standing.POSSIBLE, entries=(read, asked)
    )
    place = line_to_blame(case, situation, None, hypothesis, evidence)
    assert place.line == named
    assert ("The signal finds the script" in fix("clock", place, frozenset())) == (named == 2)


@pytest.mark.parametrize("detail", ARCHIVES)
def test_an_archive_can_leave_the_times_out(followed, detail):
    script = followed("frame.to_csv(path)").lines[0].file
    (place,) = map(of_entry, clocks(script, detail))
    advice = fix("clock", place, frozenset())
    assert ('compression={"method": "gzip", "mtime": 0}' in advice) == (detail == ARCHIVES[0])


@pytest.mark.parametrize(
    ("idle", "named"),
    [((1, 2), 3), ((), 1), ((1, 2, 3), 1)],
    ids=["filled in a call", "none", "all"],
)
def test_memory_that_a_call_has_filled_is_not_what_reached_something(followed, idle, named):
    values = followed("raw = np.empty(3)", "raw[n] = draw(n)", "x = np.empty_like(raw)", "y = f(x)")
    lines = tuple(replace(line, idle=line.line in idle) for line in values.lines)
    assert of_unwritten(replace(values, lines=lines)).line == named


def test_where_no_line_hands_out_memory_the_first_that_differs_is_named(followed):
    values = followed("raw = load(path)", "x = f(raw)")
    assert of_unwritten(values).line == 1


@pytest.mark.parametrize(
    ("body", "is_told"),
    [
        ("total += job.result()", True),
        ("rows.append(job.result())", True),
        ("value = job.result()\n        total = total; total += value", True),
        ("rows[jobs[job]] = job.result()", False),  # each to its own place
        ("rows[jobs[job]] = job.result()\n        done += 1", False),  # counted alone
    ],
)
def test_what_adds_up_results_as_they_get_ready(tmp_path, body, is_told):
    script = tmp_path / "train.py"
    script.write_text(
        "def gather(pool, parts):\n"
        "    jobs = [pool.submit(work, part) for part in parts]\n"
        f"    for job in as_completed(jobs):\n        {body}\n"
        "\ndef other(jobs):\n    for job in as_completed(jobs):\n        count += 1\n"
    )
    place = collected_as_ready(Culprit(file=str(script), line=2))
    assert (place is not None) is is_told
    assert place is None or (place.line, place.by_source) == (3, True)
    assert collected_as_ready(Culprit(file=str(script), line=None)) is None


def test_a_seed_that_is_a_digest_of_a_name_is_told_at_its_line():
    seed = entry("numpy-generator", "seed", 42, process=1, seeded=1, other_digest=2)
    evidence = Evidence(found=divergence(), entries=(seed,))
    place = seeded_by_a_name(evidence, [("train.py", 42)])
    assert (place.line, place.seeded, place.entry) == (42, True, None)
    assert seeded_by_a_name(evidence, [("train.py", 41)]) is None
    alone = replace(evidence, entries=(replace(seed, other=None),))
    assert seeded_by_a_name(alone, [("train.py", 42)]) is None
    same = replace(evidence, entries=(replace(seed, other=seed.row),))
    assert seeded_by_a_name(same, [("train.py", 42)]) is None
