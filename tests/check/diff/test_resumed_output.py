"""What a resumed run prints: lost numbers are found, and sound scripts raise no alarm.

Each style of printing is a small program that counts steps instead of training: it is run straight,
killed, resumed and straight again, and prints through `say` as a recorded run does.
"""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from samebits.check.diff.resumed_output import printed_divergence

TOTAL, EVERY, KILL, BEGIN = 24, 8, 13, 12
"""Steps, steps of an epoch; killed after 13 steps, resumed at 12: in the middle of an epoch."""


def loss(step):
    return 2.5 / (step + 1) + (step * 37 % 11) / 100


class Run:
    """A process that prints; clocks and the like differ from one to the next."""

    def __init__(self, begin, end, number):
        self.begin, self.end, self.number, self.text = begin, end, number, ""
        self.done = 0
        self.resumed = begin > 0

    def say(self, line, end="\n"):
        pieces = (line + end).splitlines(keepends=True)
        tag = f"{self.done}\t"
        starts = not self.text or self.text.endswith("\n")
        self.text += (tag if starts else "") + tag.join(pieces)

    def steps(self):
        for step in range(self.begin, self.end):
            self.done += 1
            yield step

    def seconds(self, step=1):
        return 0.8 + 0.137 * self.number + 0.011 * step * (self.number + 1)


def plain(run):
    run.say("resuming from step 12" if run.resumed else "starting")
    for step in run.steps():
        run.say(f"step {step} loss {loss(step):.4f}")
    run.say(f"final {loss(TOTAL):.4f}")


def nano_gpt(run):
    for step in run.steps():
        run.say(
            f"iter {step}: loss {loss(step):.4f}, time {run.seconds(step) * 1000:.2f}ms, mfu 1.2%"
        )


def bare_durations(run):
    for step in run.steps():
        run.say(f"{step} {loss(step):.4f} {run.seconds(step):.3f}")
    run.say(f"took {run.seconds():.1f}")


def rounded_durations_at_the_end(run):
    for step in run.steps():
        run.say(f"epoch {step // EVERY} loss {loss(step):.4f}")
    run.say("Finished in 3" if run.resumed else "Finished in 5")
    run.say("Training took: 3 of 10" if run.resumed else "Training took: 5 of 10")


def bar(run):
    count, first = run.end - run.begin, run.begin
    for step in run.steps():
        done = step - first + 1
        share = 100 * done // count
        run.say(
            f"\r {share}%|{'#' * (share // 10)}  | {done}/{count} "
            f"[00:0{run.number}<00:01, {run.seconds():.2f}it/s, loss={loss(step):.3f}]",
            end="",
        )
    run.say("")


def memory_and_first_batch(run):
    for number, step in enumerate(run.steps()):
        if number == 0:
            run.say("first batch: torch.Size([8, 4])")
        run.say(f"step {step} loss {loss(step):.3f} mem {300 + run.number * 7} MB")
    run.say(f"peak {run.number * 17 + 3} pages, files in /tmp/tmp{run.number}ab/out")


def steps_of_this_process(run):
    for number, step in enumerate(run.steps()):
        run.say(f"[{number + 1}] step {step} loss {loss(step):.4f}")
    run.say(f"{number + 1} steps done")


def mnist_log_interval(run):
    for number, step in enumerate(run.steps()):
        batch = step % EVERY if not run.resumed else number % EVERY
        if batch % 3 == 0:
            part = f"[{batch * 8}/64 ({batch * 100 // 8}%)]"
            run.say(f"Train Epoch: {step // EVERY} {part}\tLoss: {loss(step):.4f}")


def saved_average(run):
    total = sum(map(loss, range(run.begin // EVERY * EVERY, run.begin)))
    for step in run.steps():
        total += loss(step)
        if step % EVERY == EVERY - 1:
            run.say(f"epoch {step // EVERY} mean {total / EVERY:.5f}")
            total = 0.0


def lost_average(run):
    run.say("resumed" if run.resumed else "new")
    total, count = 0.0, 0
    for step in run.steps():
        total, count = total + loss(step), count + 1
        if step % EVERY == EVERY - 1:
            run.say(f"epoch {step // EVERY} mean {total / count:.5f} ({run.seconds(step):.2f}s)")
            total, count = 0.0, 0
    run.say("done")


def lost_smoothing(run):
    smooth = None
    for step in run.steps():
        smooth = loss(step) if smooth is None else 0.99 * smooth + 0.01 * loss(step)
        run.say(f"step {step} time {run.seconds(step):.2f} smooth {smooth:.4f}")
    run.say("the end")


def lost_best(run):
    best = float("inf")
    for step in run.steps():
        best = min(best, loss((step * 7) % TOTAL))
        run.say(f"step {step} best {best:.4f}")


def lost_best_said_once(run):
    best = max(loss(step) for step in run.steps())
    run.say(f"worst loss {best:.4f}")


def lost_words(run):
    best = 0.0
    for step in run.steps():
        better = loss(step) > best
        best = max(best, loss(step))
        run.say(f"step {step}: " + ("improved" if better else "no better, wait"))


def lost_ratio(run):
    right = seen = 0
    for step in run.steps():
        right, seen = right + step % 5, seen + 8
        run.say(f"acc {100 * right / seen:.2f}% ({right}/{seen})")


SOUND = [
    plain,
    nano_gpt,
    bare_durations,
    rounded_durations_at_the_end,
    bar,
    memory_and_first_batch,
    saved_average,
]
UNCLEAR = [steps_of_this_process, mnist_log_interval]
BROKEN = [lost_average, lost_smoothing, lost_best, lost_best_said_once, lost_words, lost_ratio]


def trace(script, number, begin=0, end=TOTAL, code=0):
    run = Run(begin, end, number)
    script(run)
    manifest = SimpleNamespace(stdout={"truncated": False}, exit={"code": code})
    return SimpleNamespace(output=lambda: run.text, manifest=manifest)


def compared(script, again=3, code=0):
    """What comes out, and whether a second straight run was asked for."""
    asked = []

    def repeated():
        asked.append(True)
        return trace(script, again, code=code)

    straight, resumed = trace(script, 0), trace(script, 2, BEGIN)
    # A killed run ends in the middle: without what stands behind the loop.
    killed = trace(script, 1)
    kept = [
        line
        for line in killed.output().splitlines(keepends=True)
        if int(line.partition("\t")[0]) < KILL
    ]
    killed.output = lambda: "".join(kept)
    return *printed_divergence(straight, killed, resumed, BEGIN, repeated), bool(asked)


@pytest.mark.parametrize("script", SOUND)
def test_sound_scripts_raise_no_alarm(script):
    found, notes, _ = compared(script)
    assert found is None
    assert notes == []


@pytest.mark.parametrize("script", [plain, nano_gpt, bare_durations, saved_average])
def test_times_that_the_killed_run_shows_cost_no_further_run(script):
    assert not compared(script)[2]


@pytest.mark.parametrize("script", UNCLEAR)
def test_counts_of_a_process_are_no_difference_and_are_told(script):
    found, notes, _ = compared(script)
    assert found is None
    assert len(notes) >= 1
    assert all("cannot be told" in note for note in notes)


@pytest.mark.parametrize("script", BROKEN)
def test_lost_numbers_are_found(script):
    found, _, asked = compared(script)
    assert found is not None
    assert asked
    assert found.kind == "printed"
    assert found.step > BEGIN


def test_the_first_line_that_differs_is_named():
    found, _, _ = compared(lost_average)
    assert found.step == 16
    assert found.detail.startswith("printed line 3 differs: 'epoch 1 mean ")


def test_what_cannot_be_repeated_is_told():
    found, notes, _ = compared(lost_average, code=1)
    assert found is None
    assert "cannot be told" in notes[0]
