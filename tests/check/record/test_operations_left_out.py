"""At level "auto" a thread's operations are recorded until they are enough, and what that means."""

from __future__ import annotations

from typing import Any

import pytest

from samebits.check.diff.divergence import compare_traces
from samebits.check.trace.reader import Trace

ENOUGH = 50
ALL = 70

STEPS = f"""
    import sys, threading, torch
    from concurrent.futures import ThreadPoolExecutor

    def compute(operations={ALL}, odd=0):
        x = torch.ones(2)
        for number in range(1, operations):
            x = x * (1.5 if number == odd else 1.0)

    def modes(when):
        print(when, torch._C._len_torch_dispatch_stack())

    def run(work):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    def step():
        weight = torch.nn.Parameter(torch.ones(2))
        optimizer = torch.optim.SGD([weight], lr=0.1)
        for _ in range(3):
            weight.square().sum().backward()
            optimizer.step()
    """


@pytest.fixture
def feed(record):
    """Runs a script that has the functions above: feed(source, **plan) -> its trace."""

    def run(source: str, **plan: Any) -> Trace:
        plan = {"level": "auto", "thread_operations": ENOUGH, **plan}
        indented = "\n".join("    " + line for line in source.strip().splitlines())
        return record(STEPS + "\n" + indented, **plan)

    return run


def threads(trace: Trace) -> list[Trace]:
    own = (trace.process(entry["name"]) for entry in trace.manifest.threads)
    return [one for one in own if one is not None]


def recorded(trace: Trace) -> list[tuple[int, bool]]:
    """How many operations of each thread were recorded, and whether others were left out."""
    return [(t.count_ops(), t.manifest.operations_left_out) for t in threads(trace)]


def printed(trace: Trace) -> list[str]:
    return [line.partition("\t")[2] for line in trace.output().splitlines()]


def test_after_the_first_step_some_are_enough(feed):
    trace = feed("""
step()
thread = threading.Thread(target=lambda: (compute(), modes("inside")))
thread.start()
thread.join()
""")

    assert recorded(trace) == [(ENOUGH, True)]
    assert threads(trace)[0].manifest.exit["reason"] == "finished"
    assert printed(trace) == ["inside 0"], "the thread goes on at its own speed"


def test_otherwise_all_are_recorded(feed):
    trace = feed(f"""
before = threading.Thread(target=compute)
before.start()
before.join()
step()
with ThreadPoolExecutor(1) as pool:
    pool.submit(compute).result()
for _ in range(2):
    threading.Thread(target=compute).start()
few = threading.Thread(target=compute, args=({ENOUGH - 1},))
few.start()
few.join()
""")

    assert recorded(trace) == [*[(ALL, False)] * 4, (ENOUGH - 1, False)]


@pytest.mark.parametrize(
    "plan",
    [
        {"level": "op"},
        {"thread_operations": None},
        {"level": "step", "ops_from_step": 1, "thread_operations": None},
    ],
    ids=["level-op", "all", "from-a-step-on"],
)
def test_all_are_recorded_where_they_are_asked_for(feed, plan):
    assert recorded(feed("step()\nrun(compute)", **plan)) == [(ALL, False)]


def test_threads_that_share_a_name_have_enough_together(feed):
    trace = feed("step()\nfor _ in range(3):\n    run(compute)")

    assert recorded(trace) == [(ENOUGH, True)]


def test_steps_that_the_thread_takes_later_are_recorded(feed):
    (thread,) = threads(feed("step()\nrun(lambda: (compute(), step()))"))

    assert thread.count_ops() == ENOUGH
    assert thread.steps()["kind"].tolist() == [0, 0, 0, 1]


def test_a_profiler_of_the_script_goes_on_hearing(feed):
    trace = feed("""
def watched():
    heard = []
    sys.setprofile(lambda frame, event, argument: heard.append(event))
    compute()
    modes("inside")
    sys.setprofile(None)
    print(heard.count("call") >= 2)
step()
run(watched)
""")

    assert recorded(trace) == [(ENOUGH, True)]
    assert printed(trace) == ["inside 1", "True"]


def test_inside_torch_it_waits(feed):
    """What torch restores after a backward pass would put the mode back that was left in it."""
    trace = feed("""
def hook(gradient):
    for _ in range(60):
        gradient = (lambda g: g * 1.0)(gradient)
    modes("inside")
    return gradient
def backward():
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    y.register_hook(hook)
    y.sum().backward()
    modes("after")
    print(x.grad.tolist())
step()
run(backward)
""")

    assert recorded(trace) == [(ENOUGH, True)]
    assert printed(trace) == ["inside 1", "after 0", "[1.0, 1.0]"]


@pytest.mark.parametrize(
    ("context", "inside", "after"),
    [
        ("torch.inference_mode()", 1, 0),
        ("torch.inference_mode(False)", 1, 1),  # it is looked for a few times only
        ("torch.no_grad()", 0, 0),
    ],
)
def test_inside_a_context_that_restores_dispatch_it_waits(feed, context, inside, after):
    """Torch would look for the mode that is gone, and fail in the script's next operation."""
    trace = feed(f"""
def evaluate():
    with {context}:
        compute()
        modes("inside")
    [(lambda n: n)(n) for n in range(9)]
    modes("after")
    print((torch.ones(2) * 3).tolist())
step()
run(evaluate)
""")

    assert recorded(trace) == [(ENOUGH, True)]
    assert printed(trace) == [f"inside {inside}", f"after {after}", "[3.0, 3.0]"]


def test_a_thread_in_a_decorated_function_goes_on_at_its_own_speed(feed):
    trace = feed("""
@torch.no_grad()
def evaluate():
    compute()
    modes("inside")
step()
run(evaluate)
""")

    assert printed(trace) == ["inside 0"]


def test_a_profile_function_does_not_stay_when_the_mode_is_left_otherwise(feed):
    trace = feed("""
class Slow(torch.optim.SGD):
    def step(self):
        compute()
        super().step()
def train():
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = Slow([weight], lr=0.1)
    for _ in range(3):
        weight.square().sum().backward()
        optimizer.step()
    (lambda: None)()
    print(sys.getprofile())
step()
run(train)
""")

    assert printed(trace) == ["None"]


def test_what_both_have_recorded_is_compared(feed):
    source = "step()\nrun(lambda: compute(odd={}))"
    short, before, after = (
        feed(source.format(0)),
        feed(source.format(ENOUGH // 2), thread_operations=None),
        feed(source.format(ENOUGH + 5), thread_operations=None),
    )

    assert compare_traces(short, before).verdict == "different"
    assert compare_traces(before, short).verdict == "different"
    assert compare_traces(short, after).verdict == "same"
    assert compare_traces(after, short).verdict == "same"
