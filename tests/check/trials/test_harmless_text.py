"""Text that differs where every operation agrees: results decide, durations and names do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits

HEAD = """
import json, os, random, time, uuid
from concurrent.futures import ThreadPoolExecutor, as_completed
import numpy as np
import torch

start = time.perf_counter()
total = torch.linspace(-1, 1, 11).tanh().sum().item()
"""
HARMLESS = {
    "a duration without a unit": "print(total, time.perf_counter() - start)",
    "the name of a run": """
name = uuid.uuid4().hex[:8]
print("run", name, "of", os.getpid())
with open(f"result-{name}.json", "w") as file:
    json.dump({"total": total, "at": time.time()}, file)
""",
    "what is in use of the machine": """
import resource
ballast = bytearray(random.SystemRandom().randrange(2**24))
print(total, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, os.getloadavg())
""",
    "a folder that must be new": """
from pathlib import Path
folder = Path("runs", f"{time.strftime('%m%d-%H%M%S')}-{uuid.uuid4().hex[:8]}")
folder.mkdir(parents=True)
(folder / "log.txt").write_text(f"region 1 at {id(folder):#x}")
print("saved in", folder, total)
""",
    "a name that tempfile makes": """
import tempfile
from pathlib import Path
with tempfile.TemporaryDirectory() as folder:
    handle, path = tempfile.mkstemp(prefix="round00-", suffix=f"-acc{total:.3f}.pt", dir=folder)
    os.close(handle)
    print("best", Path(path).name)
""",
    "which losses a heartbeat shows": """
torch.manual_seed(0)
net = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
spoke = time.monotonic()
for step in range(90):
    loss = net(torch.full((64, 64), step / 90)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if time.monotonic() - spoke >= 0.02:
        spoke = time.monotonic()
        print("step", step, "loss", loss.item())
""",
    "a preview now and then": """
torch.manual_seed(0)
net = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
spoke = time.monotonic()
for step in range(120):
    loss = net(torch.full((64, 64), step / 90)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if time.monotonic() - spoke >= 0.02 and step < 110:
        spoke = time.monotonic()
        with torch.no_grad():
            shown = (torch.ones(8, 64) @ net.weight).tanh()
        print("step", step, "ink", shown.mean().item())
print("loss", loss.item())
""",
    "a name that people can remember": """
names = random.Random()
name = f"{names.choice(['amber', 'copal', 'onyx'])}-{names.randrange(1000, 9999)}"
os.makedirs(f"runs/{name}")
print(f"run {name}")
with open("index.jsonl", "a") as file:
    file.write(json.dumps({"name": name, "total": total}) + chr(10))
""",
    "a token in the name of a run": """
import secrets
from secrets import token_urlsafe
with open("result.json", "w") as file:
    json.dump({"job": secrets.token_hex(4), "key": token_urlsafe(), "total": total}, file)
""",
    "a table that is kept for the next run": """
if not os.path.exists("table.json"):
    print("preparing the table")
    with open("table.json", "w") as file:
        json.dump([1, 2, 3], file)
print(total, time.perf_counter() - start)
""",
    "which thread was ready first": """
def work(k):
    time.sleep(random.random() / 20)
    return k

with ThreadPoolExecutor(3) as pool:
    order = [done.result() for done in as_completed([pool.submit(work, k) for k in range(30)])]
    print("first", *order[:9])
""",
    "a log of threads": """
import logging
logging.basicConfig(format="%(threadName)s %(message)s", level=logging.INFO, filename="log.txt")

def work(k):
    time.sleep(random.random() / 20)
    logging.info("%d is ready", k)
    return k

with ThreadPoolExecutor(3) as pool:
    print(sum(pool.map(work, range(30))))
""",
}
RESULTS = {
    "a configuration that is chosen": (
        "scores = {f'width_{w}': random.random() for w in range(100, 900)}\n"
        "print('selected run:', max(scores, key=scores.get))",
        ("printed", "unseeded-rng", 9),
    ),
    "what is told of an example": (
        "which = random.Random().randrange(10**6)\n"
        "print('run amber-7345, an example:', which * total)",
        ("printed", "unseeded-rng", 9),
    ),
    "a number that is printed alone": (
        "numbers = np.random.default_rng()\nprint(numbers.random(), time.perf_counter() - start)",
        ("printed", "unseeded-rng", 9),
    ),
    "a number in a file": (
        "value = random.random()\nwith open('r.json', 'w') as file: json.dump([value], file)",
        ("saved", "unseeded-rng", 9),
    ),
    "an array in a file": (
        "value = np.random.rand(3)\nnp.save('r.npy', value)",
        ("saved", "unseeded-rng", 9),
    ),
    "what a hash of the time has seeded": (
        "import hashlib\nseed = hashlib.sha1(str(time.time_ns()).encode()).hexdigest()[:7]\n"
        "print(random.Random(int(seed, 16)).random())",
        ("printed", "clock", 10),
    ),
    "a script that ends otherwise where names are pinned": (
        "os.kill(os.getpid(), 0)\nprint(random.random())",
        ("printed", "unseeded-rng", 10),
    ),
    "a mean over what a deadline allowed": (
        "torch.manual_seed(0)\nnet = torch.nn.Linear(9, 9)\n"
        "torch.optim.SGD(net.parameters(), lr=0.1).step()\nfound, end = [], time.time() + 0.3\n"
        "while time.time() < end:\n"
        "    found.append(net(torch.full((9,), len(found) / 9.0)).sum().item())\n"
        "print(sum(found))",
        ("inserted", "clock", 13),
    ),
    "the last of what fitted into a while": (
        "numbers, end = random.Random(0), time.monotonic() + 0.2\n"
        "while time.monotonic() < end: last = numbers.random()\n"
        "print('the last is', last)",
        ("printed", "clock", 10),
    ),
    "a name that was chosen": (
        "name = random.choice([f'momentum-{k}' for k in range(10**6)])\n"
        "with open('best.json', 'w') as file: json.dump({'name': name}, file)",
        ("saved", "unseeded-rng", 9),
    ),
    "beside what torch saves, in an object": (
        "from argparse import Namespace\n"
        "torch.save({'a': Namespace(score=random.random()), 'w': torch.ones(2)}, 'a.pt')",
        ("saved", "unseeded-rng", 10),
    ),
    "an order of lines beside a thread": (
        "with ThreadPoolExecutor(1) as pool: pool.submit(sum, [1]).result()\n"
        "for name in {f'part {k}' for k in range(30)}: print(name)",
        ("printed", "hash-order", 10),
    ),
    "what a clock has seeded": (
        "random.seed(time.time_ns())\nprint(random.random())",
        ("printed", "clock", 9),
    ),
}

pytestmark = pytest.mark.slow


@pytest.fixture
def checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(source, **more):
        Path("script.py").write_text(HEAD + source)
        target = Target(script=Path("script.py"))
        return check(target, plan=RunPlan(capture_output=True), out=tmp_path / "out", **more)

    return run


@pytest.mark.parametrize("source", HARMLESS.values(), ids=HARMLESS)
def test_what_goes_by_the_clock_by_names_or_by_pace_is_a_note(checked, source):
    verdict = checked(source)
    assert (verdict.verdict, verdict.causes) == ("same", ())


def test_a_note_says_what_was_pinned(checked):
    verdict = checked("print(total, round(time.perf_counter() - start, 4))")
    assert verdict.verdict == "same"
    assert any(
        "pinned, two further runs printed and wrote the same but for times" in n
        for n in verdict.notes
    )


@pytest.mark.parametrize(("source", "expected"), RESULTS.values(), ids=RESULTS)
def test_a_result_that_reaches_no_tensor_decides(checked, source, expected):
    verdict = checked(source)
    assert verdict.verdict == "different"
    cause = verdict.causes[0]
    assert (verdict.first_divergence.kind, cause.code, cause.line) == expected


def test_averaged_weights_that_go_by_the_clock_are_a_result(checked):
    verdict = checked(
        """
torch.manual_seed(0)
net = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
mean, looked = net.weight.detach().clone(), time.monotonic()
for step in range(120):
    loss = net(torch.full((64, 64), step / 90)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if time.monotonic() - looked >= 0.005 and step < 110:
        looked = time.monotonic()
        mean.mul_(0.9).add_(net.weight.detach(), alpha=0.1)
        print("averaged after", step)
np.save("mean.npy", mean.numpy())
""",
        limits=Limits(runs=0),
    )
    assert verdict.verdict == "different"


OF_A_LIMIT = """
late = 0
for _ in range(400):
    began = time.perf_counter()
    sum(range(2000 + os.urandom(1)[0] * 40))
    late += time.perf_counter() - began > 0.00008
print("left out", late)
"""


def test_how_many_took_longer_than_a_limit_is_a_result(checked):
    assert checked(OF_A_LIMIT, limits=Limits(runs=0)).verdict == "different"


def test_what_was_drawn_beside_a_name_is_read_in_a_compressed_file(checked):
    verdict = checked(
        "import gzip\nprint('run', f'amber-{random.randint(1000, 9999)}')\n"
        "with gzip.open('r.json.gz', 'wt') as file: json.dump(random.sample(range(999), 5), file)",
        limits=Limits(runs=0),
    )
    assert verdict.verdict == "different"


def test_what_is_written_past_sys_stdout_counts(checked):
    verdict = checked(
        "import sys\nsys.stdout.buffer.write(f'mean {random.random()}\\n'.encode())",
        limits=Limits(runs=0),
    )
    assert verdict.verdict == "different"


def test_a_pickle_that_differs_was_not_compared(checked):
    verdict = checked(
        "import pickle\nprint(round(time.perf_counter() - start, 5))\n"
        "with open('r.pkl', 'wb') as file: pickle.dump([random.random()], file)"
    )
    assert verdict.verdict == "incomplete"
    (left_out,) = verdict.not_compared
    assert (left_out.what, left_out.name) == ("file", "r.pkl")


def test_a_pickle_that_holds_the_time_is_a_note(checked):
    verdict = checked(
        "import pickle\nwith open('r.pkl', 'wb') as file: pickle.dump([total, time.time()], file)"
    )
    assert (verdict.verdict, verdict.not_compared) == ("same", ())


def test_draws_that_are_overwritten_are_not_blamed_for_a_token(checked):
    verdict = checked(
        """
import secrets
net = torch.nn.Linear(3, 2)
with torch.no_grad():
    net.weight.copy_(torch.ones(2, 3))
    net.bias.zero_()
with open("result.json", "w") as file:
    json.dump({"job": secrets.token_bytes(4).hex(), "total": net(torch.ones(3)).tolist()}, file)
"""
    )
    assert verdict.verdict == "different"
    assert [cause.code for cause in verdict.causes] == ["entropy"]


def test_a_log_that_grows_and_an_event_file_say_nothing(checked):
    verdict = checked(
        """
with open("log.txt", "a") as log:
    print(f"total {total}", file=log)
with open(f"events.out.tfevents.{int(time.time())}.host.{os.getpid()}.0", "wb") as events:
    events.write(os.urandom(20))
""",
        limits=Limits(runs=0),
    )
    assert (verdict.verdict, verdict.notes) == ("same", ())


def test_what_a_worker_drew_for_whichever_tasks_it_took_is_a_result(checked):
    """A pool of one process would print the same: that is another computation, not an order."""
    verdict = checked(
        """
import multiprocessing as mp
own = {}
def begin():
    own[0] = np.random.default_rng([7, mp.current_process()._identity[0]])
def walk(n):
    return float(sum(abs(own[0].normal(size=200)).sum() for _ in range(n)))
with mp.get_context("fork").Pool(2, begin) as pool:
    found = pool.map(walk, [20 + 37 * k % 300 for k in range(80)], chunksize=1)
print(max(found), found[0], found[-1])
""",
        limits=Limits(runs=0),
    )
    assert verdict.verdict == "different"
