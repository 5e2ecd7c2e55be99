from __future__ import annotations

import pytest

from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.trace.schema import STEP_DIGESTS, Flag

AT_A_ROW = {"code": 0, "signal": None, "reason": "stopped-at-row"}
LINE_5 = ("/home/a/train.py", 5, "build", "fc1")
ROWS = [{"op": f"aten.op{i}", "outputs": 10 + i, "inputs": 20 + i} for i in range(6)]


def changed(rows, index, **values):
    return [{**row, **values} if i == index else row for i, row in enumerate(rows)]


def inserted(rows, index, **values):
    return [*rows[:index], {"op": "aten.extra", **values}, *rows[index:]]


def test_equal_runs_are_the_same(make_run):
    verdict = compare_traces(make_run(ROWS), make_run(ROWS))
    assert verdict.verdict == "same"
    assert verdict.first_divergence is None
    assert verdict.causes == ()
    assert [run.ops for run in verdict.runs] == [6, 6]


def test_batches_may_be_cut_differently(make_run):
    a, b = make_run(ROWS, flush_every=4), make_run(changed(ROWS, 5, outputs=0), flush_every=1)
    assert first_divergence(a, b).rows == (5, 5)


def test_the_first_differing_output_is_named(make_run):
    later = changed(changed(ROWS, 3, outputs=1, site=LINE_5, step=2), 4, outputs=1, inputs=1)
    a = changed(ROWS, 3, site=LINE_5, step=2, signature="float32[2]")
    found = first_divergence(make_run(a), make_run(changed(later, 3, signature="float32[2]")))
    assert found.kind == "output"
    assert (found.op, found.step, found.phase) == ("aten.op3", 2, "forward")
    assert (found.file, found.line, found.function, found.module) == LINE_5
    assert found.signature == "float32[2]"
    assert found.rows == (3, 3)
    assert "although all its inputs agree" in found.detail


def test_of_unwritten_memory_nobody_says_that_inputs_agree(make_run):
    rows = changed(ROWS, 3, site=LINE_5, flags=Flag.READS_UNWRITTEN)
    verdict = compare_traces(make_run(rows), make_run(changed(rows, 3, outputs=1)))
    found, (cause,) = verdict.first_divergence, verdict.causes
    assert found.detail == "its output differs: it read memory that nothing had written to"
    assert (cause.code, cause.line, cause.confidence) == ("uninitialized-memory", 5, "likely")
    assert cause.evidence == f"{found.detail[:1].upper()}{found.detail[1:]}."


def test_of_a_draw_the_generator_comes_first(make_run):
    flags = Flag.RANDOM | Flag.READS_UNWRITTEN
    rows = changed(ROWS, 2, op="aten.native_dropout.default", flags=flags)
    verdict = compare_traces(make_run(rows), make_run(changed(rows, 2, outputs=1)))
    assert [cause.code for cause in verdict.causes] == ["unseeded-rng"]


def test_a_random_operation_is_blamed_on_its_generator(make_run):
    rows = changed(ROWS, 2, op="aten.uniform_.default", flags=Flag.RANDOM | Flag.INPLACE)
    # The memory that uniform_ overwrites may have held anything.
    verdict = compare_traces(make_run(rows), make_run(changed(rows, 2, outputs=1, inputs=1)))
    assert verdict.first_divergence.random
    assert [cause.code for cause in verdict.causes] == ["unseeded-rng"]
    assert verdict.causes[0].detail == "torch-cpu"
    assert "torch.manual_seed(0)" in verdict.causes[0].fix


@pytest.mark.parametrize("flag", [Flag.SCRATCH, Flag.OPAQUE])
@pytest.mark.parametrize("side", [0, 1])
def test_outputs_without_meaning_raise_no_alarm(make_run, flag, side):
    runs = [ROWS, changed(ROWS, 2, outputs=1)]
    runs[side] = changed(runs[side], 2, flags=flag)
    assert first_divergence(*map(make_run, runs)) is None


def test_inputs_that_differ_alone_raise_no_alarm(make_run):
    assert first_divergence(make_run(ROWS), make_run(changed(ROWS, 2, inputs=1))) is None


def test_data_that_enter_differently_are_blamed(make_run):
    a = changed(ROWS, 1, data=7, phase="data")
    b = changed(ROWS, 1, data=8, phase="data", inputs=1, outputs=1)
    verdict = compare_traces(make_run(a), make_run(b))
    assert verdict.first_divergence.data
    assert verdict.first_divergence.phase == "data"
    assert [cause.code for cause in verdict.causes] == ["data-changed"]


@pytest.mark.parametrize(
    ("threads", "words"), [(True, "another thread has, or NumPy"), (False, "made outside torch")]
)
def test_where_threads_compute_one_of_them_may_have_made_it(make_run, threads, words):
    a, b = make_run(changed(ROWS, 1, data=5)), make_run(changed(ROWS, 1, data=6, outputs=1))
    a.has_threads = threads
    assert words in first_divergence(a, b).detail


def test_data_without_effect_at_first_are_blamed_for_what_follows(make_run):
    a = changed(ROWS, 1, data=7)
    b = changed(changed(ROWS, 1, data=8, inputs=1), 4, inputs=1, outputs=1)
    found = first_divergence(make_run(a), make_run(b))
    assert found.rows == (1, 1)
    assert found.data


def test_data_are_not_blamed_for_an_operation_whose_inputs_agree(make_run):
    a = changed(ROWS, 1, data=7)
    b = changed(changed(ROWS, 1, data=8, inputs=1), 4, outputs=1)
    found = first_divergence(make_run(a), make_run(b))
    assert found.rows == (4, 4)
    assert not found.data


@pytest.mark.parametrize(("flags", "notes"), [(0, 0), (Flag.VIEW, 1)])
def test_what_one_run_had_forgotten_is_no_data_where_inputs_agree(make_run, flags, notes):
    runs = [make_run(changed(ROWS, 1, data=data, flags=int(flags))) for data in (7, 8)]
    verdict = compare_traces(*runs)
    assert verdict.verdict == "same"
    assert len(verdict.notes) == notes


def test_data_without_any_effect_are_a_note(make_run):
    verdict = compare_traces(
        make_run(changed(ROWS, 1, data=7)), make_run(changed(ROWS, 1, data=8, inputs=1))
    )
    assert verdict.verdict == "same"
    assert verdict.notes == ("input data differed at train.py:10, but no result was affected",)
    rows = changed(ROWS, 1, site=LINE_5)
    runs = [make_run(changed(rows, 1, data=data, inputs=data)) for data in (7, 8)]
    # As other notes name a line, without the folder.
    assert [note[:34] for note in compare_traces(*runs).notes] == [
        "input data differed at train.py:5,"
    ]


def test_nothing_is_said_of_no_effect_where_a_step_differs(make_run):
    step = {"step": 0, **dict.fromkeys(STEP_DIGESTS, 5), "loss_value": 0.5}
    verdict = compare_traces(
        make_run(changed(ROWS, 1, data=7), steps=[step]),
        make_run(changed(ROWS, 1, data=8, inputs=1), steps=[{**step, "parameters": 6}]),
    )
    assert (verdict.verdict, verdict.notes) == ("different", ())


def test_data_count_by_themselves_where_runs_were_ended_at_them(make_run):
    """A run that stops at the operation that takes data in has no result that could show them."""
    rows = ROWS[:2]
    runs = [
        make_run(changed(rows, 1, data=7), exit=AT_A_ROW),
        make_run(changed(rows, 1, data=8, inputs=1), exit=AT_A_ROW),
    ]
    found = first_divergence(*runs)
    assert found.rows == (1, 1)
    assert found.data


def test_data_of_another_shape(make_run):
    a = changed(ROWS, 1, data=7, signature="float32[3]")
    b = changed(ROWS, 1, data=8, signature="float32[4]")
    found = first_divergence(make_run(a), make_run(b))
    assert (found.kind, found.data, found.rows) == ("output", True, (1, 1))
    assert "float32[3] in A, float32[4] in B" in found.detail


def test_unexplained_inputs_are_said(make_run):
    verdict = compare_traces(make_run(ROWS), make_run(changed(ROWS, 2, inputs=1, outputs=1)))
    assert "something that is not recorded changed the inputs" in verdict.first_divergence.detail
    assert [cause.code for cause in verdict.causes] == ["unknown"]


def test_plain_arguments_that_differ_are_said(make_run):
    found = first_divergence(make_run(ROWS), make_run(changed(ROWS, 2, args=1, outputs=1)))
    assert "its plain arguments do not" in found.detail


@pytest.mark.parametrize("longer", [0, 1])
def test_a_row_that_only_one_run_has(make_run, longer):
    runs = [ROWS, ROWS]
    runs[longer] = inserted(ROWS, 3, site=LINE_5)
    verdict = compare_traces(*map(make_run, runs))
    found = verdict.first_divergence
    assert (found.kind, found.op, found.line) == ("inserted", "aten.extra", 5)
    assert found.rows == ((3, None) if longer == 0 else (None, 3))
    assert f"only run {'AB'[longer]} does one operation here" in found.detail
    assert [cause.code for cause in verdict.causes] == ["control-flow"]


def test_a_difference_before_the_insertion_comes_first(make_run):
    found = first_divergence(make_run(ROWS), make_run(inserted(changed(ROWS, 1, outputs=1), 3)))
    assert (found.kind, found.rows) == ("output", (1, 1))


def test_a_difference_after_the_insertion_comes_second(make_run):
    found = first_divergence(make_run(ROWS), make_run(inserted(changed(ROWS, 4, outputs=1), 3)))
    assert (found.kind, found.rows) == ("inserted", (None, 3))


def test_another_operation_in_the_same_place(make_run):
    found = first_divergence(make_run(ROWS), make_run(changed(ROWS, 3, op="aten.mul.Tensor")))
    assert (found.kind, found.rows) == ("inserted", (3, 3))
    assert "run A does aten.op3 (float32[4]) here, run B does aten.mul.Tensor" in found.detail


@pytest.mark.parametrize("cut", [0, 1])
def test_a_cut_run_is_compared_as_far_as_it_goes(make_run, cut):
    runs = [make_run(ROWS), make_run(ROWS)]
    runs[cut] = make_run(ROWS[:4], cut=True)
    verdict = compare_traces(*runs)
    assert (verdict.verdict, verdict.exit_code) == ("incomplete", 4)
    assert verdict.runs[cut].complete is False
    (rest,) = verdict.not_compared
    assert rest.name == f"run {'AB'[cut]} after operation 4"
    assert "killed" in rest.why


def test_a_cut_run_that_differs_before_its_end(make_run):
    a = make_run(changed(ROWS, 2, outputs=1)[:4], cut=True)
    verdict = compare_traces(a, make_run(ROWS))
    assert (verdict.verdict, verdict.first_divergence.rows) == ("different", (2, 2))
    assert "run A was cut" in verdict.notes[0]


def test_a_finished_run_that_does_less_is_different(make_run):
    assert first_divergence(make_run(ROWS[:4]), make_run(ROWS)).kind == "inserted"


def test_a_run_that_was_stopped_at_a_step_is_compared_up_to_there(make_run):
    stopped = {"code": 0, "signal": None, "reason": "stopped-at-step"}
    verdict = compare_traces(make_run(ROWS[:4], exit=stopped), make_run(ROWS))
    assert verdict.verdict == "incomplete"
    assert [one.name for one in verdict.not_compared] == ["run A after operation 4"]


def test_two_runs_that_were_stopped_at_the_same_step_have_no_rest(make_run):
    stopped = {"code": 0, "signal": None, "reason": "stopped-at-step"}
    runs = (make_run(ROWS[:4], exit=stopped) for _ in range(2))
    assert compare_traces(*runs).verdict == "same"


def test_other_folders_hold_the_same_script(make_run):
    a = [{**row, "site": ("/home/a/x/train.py", 3, "f", "")} for row in ROWS]
    b = [{**row, "site": ("C:\\work\\train.py", 3, "f", "")} for row in ROWS]
    assert first_divergence(make_run(a), make_run(b)) is None


def test_edited_code_is_aligned_without_line_numbers(make_run):
    moved = [{**row, "site": ("train.py", 11, "main", "")} for row in ROWS]
    code = [{"path": "/a/train.py", "sha256": "0"}], [{"path": "/b/train.py", "sha256": "1"}]
    verdict = compare_traces(make_run(ROWS, code=code[0]), make_run(moved, code=code[1]))
    assert verdict.verdict == "same"
    assert verdict.notes == ("the code differs (train.py): rows are aligned without line numbers",)
    assert first_divergence(make_run(ROWS), make_run(moved)).kind == "inserted"


def test_ranks_are_compared_one_by_one(make_run, tmp_path):
    runs = []
    for name, rows in (("a", ROWS), ("b", changed(ROWS, 2, outputs=1))):
        make_run(ROWS, folder=tmp_path / name)
        runs.append(make_run(rows, folder=tmp_path / name, rank=1))
    assert runs[0].ranks == (0, 1)
    assert first_divergence(*runs).rows == (2, 2)


def test_names_are_shown_safely(make_run):
    site = ("evil\x1b[2J.py", 1, "f\n", "m\u202e")
    rows = [{"op": "a\x1b", "signature": "s\r", "site": site}]
    found = first_divergence(make_run(rows), make_run(changed(rows, 0, outputs=1)))
    shown = "".join((found.op, found.signature, found.file, found.function, found.module))
    assert shown.isprintable()
