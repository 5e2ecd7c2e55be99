"""Lines that hand weights over; whoever waits for what becomes of them trains nothing meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes import known
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hand_overs import handed_over
from samebits.check.causes.hypothesis import Standing
from samebits.check.trace.rows import Site

SCRIPT = """
def work(pool, model, batches):
    for batch in batches:
        loss = pool.submit(score, model).result()
        train(model)
    for batch in batches:
        scored = pool.submit(score, model)
        loss = scored.result()
        train(model)
    for batch in batches:
        scored = pool.submit(score, model)
        train(model)
        loss = scored.result()
    pool.submit(score, model)
    for batch in batches:
        scored = pool.submit(score, model)
        print("scoring")
        loss = scored.result()
        optimizer.step()
    for batch in batches:
        scored = pool.submit(score, model)
        optimizer.step()
        loss = scored.result()
"""


@pytest.mark.parametrize(
    ("line", "goes_on"), [(4, False), (7, False), (11, True), (14, True), (16, False), (21, True)]
)
def test_what_is_waited_for_at_once_is_left_out(tmp_path, line, goes_on):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    handed = entry("hand-over", "write")
    handed = replace(handed, row=replace(handed.row, site=Site(str(path), line, "work", "")))
    found = handed_over(Evidence(found=divergence(), between=(handed,)))
    assert (found is handed) == goes_on


JOINED = """
def check(self, model, out):
    threads = [threading.Thread(target=score, args=(model, n)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    optimizer.step()
    for n in range(3):
        thread = threading.Thread(target=score, args=(model, n))
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()
    self.thread = threading.Thread(target=score, args=(model, 1))
    self.thread.start()
    self.thread.join()
    for batch in batches:
        thread = threading.Thread(target=score, args=(model, 1))
        thread.start()
        threads.append(thread)
        optimizer.step()
    for thread in threads:
        thread.join()
    thread = threading.Thread(target=score, args=(model, 1))
    self.threads.append(thread)
    thread.start()
"""


@pytest.mark.parametrize(
    ("line", "goes_on"), [(3, False), (10, False), (15, False), (19, True), (25, True)]
)
def test_threads_that_are_joined_before_a_step_are_left_out(tmp_path, line, goes_on):
    path = tmp_path / "train.py"
    path.write_text(JOINED)
    handed = entry("hand-over", "write")
    handed = replace(handed, row=replace(handed.row, site=Site(str(path), line, "check", "")))
    found = handed_over(Evidence(found=divergence(), between=(handed,)))
    assert (found is handed) == goes_on


@pytest.mark.parametrize(
    ("source", "goes_on"),
    [
        (
            "for e in r:\n    train(model)\n    jobs.append(pool.submit(f, model))\n"
            "[j.result() for j in jobs]",
            True,
        ),
        ("pool.submit(f, model, os.path.join(out, 'm'))\nopt.step()", True),
        ("t = Thread(target=f, args=(model, cfg.get('x')))\nt.start()\nopt.step()\nt.join()", True),
        ("inbox.put(model)\nopt.step()\nscore = outbox.get()", True),
        ("t = Thread(target=f, args=(model,))\nprint(', '.join(names))\nopt.step()", True),
        (
            "with ThreadPoolExecutor() as pool:\n    jobs = [pool.submit(f, model)]\nopt.step()",
            False,
        ),
        ("with ThreadPoolExecutor() as pool:\n    pool.submit(f, model)\n    opt.step()", True),
        ("inbox.put(model)\nscore = outbox.get()\nopt.step()", False),
        ("inbox.put(model)\ninbox.join()\nopt.step()", False),
        ("jobs = [pool.submit(f, model)]\nwait(jobs)\nopt.step()", False),
        ("scores = list(pool.map(f, repeat(model)))\nopt.step()", False),
        ("for s in pool.map(f, repeat(model)):\n    use(s)\nopt.step()", False),
        (
            "a = Thread(target=f, args=(model, 0))\nb = Thread(target=f, args=(3, 1))\n"
            "a.start()\nb.start()\na.join()\nopt.step()",
            False,
        ),
    ],
    ids=[
        *("trained in the loop", "a path", "a setting", "a queue", "words"),
        *("leaving", "trained in the block", "an answer", "a queue that is empty", "all"),
        *("mapped", "mapped in a loop", "two threads"),
    ],
)
def test_what_waits_and_what_only_looks_like_it(tmp_path, source, goes_on):
    path = tmp_path / "train.py"
    lines = ["def work(self, model):", *(f"    {line}" for line in source.split("\n"))]
    path.write_text("\n".join(lines) + "\n")
    given = [n for n, line in enumerate(lines, 1) if n > 1 and "model" in line]
    (line, *_) = [n for n in given if "train" not in lines[n - 1]]
    handed = entry("hand-over", "write")
    handed = replace(handed, row=replace(handed.row, site=Site(str(path), line, "work", "")))
    found = handed_over(Evidence(found=divergence(), between=(handed,)))
    assert (found is handed) == goes_on


def test_data_that_differ_after_weights_were_handed_over_speak_for_a_race(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    thread = entry("thread", "start", 2)
    handed = entry("hand-over", "write")
    handed = replace(handed, row=replace(handed.row, site=Site(str(path), 11, "work", "")))

    def standing(*between):
        evidence = Evidence(found=divergence(), entries=(thread,), between=between)
        (timing,) = known("thread-timing").hypotheses(evidence)
        return timing.standing

    assert standing() == Standing.POSSIBLE
    assert standing(handed) == Standing.NOTED
