"""Fixes: the user's own line, put right."""

from __future__ import annotations

import ast
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check import causes
from samebits.check.causes.culprit import Culprit, WalkedSet
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.trials.attribution.seeded_otherwise import (
    seeded_before,
    seeded_elsewhere,
    seeds_torch,
)
from samebits.core.source.statement import branch_at

IMPORTS = "import random, torch, zlib; import numpy as np"
SEED = "random.seed(0)  # at the start, before anything is drawn\n"
UNLESS = "# If the elements cannot be compared, give sorted() a key.\n"


@pytest.fixture
def fixed(tmp_path):
    """What is written for a line; `known` stands before it, in the one line of the file's head."""

    def make(code, line, *, detail="", pins=(), known=IMPORTS, **place):
        script = tmp_path / "train.py"
        script.write_text(f"{known}\ndef main():\n    {line}\n", encoding="utf-8")
        culprit = Culprit(file=str(script), line=3, detail=detail, **place)
        return fix(code, culprit, frozenset(pins))

    return make


RESUMED = """
import numpy as np

class Sampler:
    def __init__(self, seed=None):
        self.rng = np.random.default_rng(seed)
        self.other = np.random.default_rng(seed)

    def load_state_dict(self, state):
        if state.get("rng"):
            self.rng.bit_generator.state = state["rng"]
"""


@pytest.mark.parametrize(("line", "restored"), [(6, True), (7, False)])
def test_a_generator_whose_state_is_put_back_is_looked_at_there_first(tmp_path, line, restored):
    script = tmp_path / "sampling.py"
    script.write_text(RESUMED)
    culprit = Culprit(file=str(script), line=line, detail="numpy-generator")
    written = fix("unseeded-rng", culprit)
    assert "default_rng(0 if seed is None else seed)" in written
    assert written.startswith("# Line 11 puts a saved state into it.") == restored


def test_a_weak_set_is_kept_in_an_order_and_stays_weak(fixed):
    walked = WalkedSet(file="train.py", line=3, goes_by="identity", ordered=False)
    known = "import weakref; live = weakref.WeakSet()"
    written = fixed(
        "address-order", "for x in list(live):\n        f(x)", walked=walked, known=known
    )
    assert written.endswith("in a weakref.WeakValueDictionary: it holds none of them alive either.")


POPPED = "{0}.pop() removes whichever element the order of the set puts first. Keep {0} as a list"


@pytest.mark.parametrize(
    ("code", "goes_by"), [("address-order", "identity"), ("hash-order", "string")]
)
def test_a_set_that_is_popped_is_told_how_to_keep_an_order(fixed, code, goes_by):
    walked = WalkedSet(file="train.py", line=3, goes_by=goes_by, ordered=goes_by == "string")
    assert fixed(code, "cell = self.free.pop()", walked=walked).startswith(
        POPPED.format("self.free")
    )
    # Of a list, as it may be, nothing is said.
    assert POPPED.format("self.free") not in fixed(code, "cell = self.free.pop()")


@pytest.mark.parametrize("code", ["hash-order", "address-order"])
def test_where_no_set_was_seen_to_be_walked_nothing_is_sorted(fixed, code):
    line = "ids = torch.tensor([known(tokens) for tokens in cases])"
    assert "in cases]" not in fixed(code, line, walks_none=True)
    assert "sorted(cases)" in fixed("hash-order", line)  # as it may be a set
    assert "Write sorted(...) around that set." in fixed("hash-order", line, walks_none=True)


@pytest.mark.parametrize(
    "known",
    [
        "met = defaultdict(set)",
        "met: dict[str, set[str]] = defaultdict(set)",
        "def f(index, met: dict[str, frozenset[str]]): pass",
    ],
)
def test_of_what_a_statement_walks_the_sets_that_a_dict_holds_are_sorted(fixed, known):
    line = "adjacent = {name: list(met[name]) for name in index}"
    written = fixed("hash-order", line, known=known).removeprefix(UNLESS)
    assert written == "adjacent = {name: sorted(met[name]) for name in index}"
    # Where it may hold lists, what is walked first is sorted.
    lists = fixed("hash-order", line, known="met = defaultdict(list)").removeprefix(UNLESS)
    assert lists == "adjacent = {name: list(met[name]) for name in sorted(index)}"


def test_an_object_that_hashes_itself_has_no_encoding(fixed):
    written = fixed("hash-order", "number = (base + hash(self)) % 2**31")
    assert written.endswith("number = (base + zlib.crc32(repr(vars(self)).encode())) % 2**31")


@pytest.mark.parametrize(
    ("head", "text"),
    [
        ("@dataclass(frozen=True)\nclass Member:\n", "self"),
        ("class Member:\n    def __repr__(self): return self.name\n", "self"),
        ("class Member:\n    def __hash__(self): return hash(self.name)\n", "vars(self)"),
    ],
)
def test_a_class_whose_text_holds_its_fields_is_hashed_by_it(tmp_path, head, text):
    script = tmp_path / "members.py"
    script.write_text(f"{head}    def seed(self):\n        return hash(self)\n")
    line = script.read_text().count("\n")
    written = fix("hash-order", Culprit(file=str(script), line=line))
    assert f"zlib.crc32(repr({text}).encode())" in written


def test_other_sets_of_the_same_order_are_named(fixed):
    line = "order = [word for word in {'a', *words}]"
    written = fixed("hash-order", line, alike=(("/w/split.py", 7), ("/w/split.py", 9)))
    *_, last = written.splitlines()
    assert last.endswith("the sets at split.py:7, split.py:9 are walked in such an order as well")
    advice = fixed("address-order", "x = make(1)", alike=(("/w/split.py", 7),))
    assert advice.endswith("\nThe set at split.py:7 is walked in such an order as well.")


@pytest.mark.parametrize(
    ("worker", "part"), [(-1, "a fixed number"), (1, "torch.initial_seed() % 2**32")]
)
def test_a_worker_that_is_seeded_elsewhere_keeps_numbers_of_its_own(fixed, worker, part):
    read = entry(source="pid", event="read", detail="os.getpid", worker=worker)
    place = {"detail": "os.getpid", "entry": read, "seeds": "jitter.py:48"}
    written = fixed("entropy", "self.owner = os.getpid()", **place)
    assert written.startswith("jitter.py:48 seeds a generator")
    assert part in written


def test_torch_is_not_seeded_once_more_where_the_script_was_seen_to(fixed):
    made = entry("numpy-generator", "construct", seeded=0, detail="numpy.random.default_rng")
    again = replace(made, row=replace(made.row, calls=5))
    line = "rng = np.random.default_rng()"
    without = fixed("unseeded-rng", line, detail="numpy-generator", entry=again)
    assert without.startswith("torch.manual_seed(0)  # at the start of the script, once\n")
    seeded = fixed(
        "unseeded-rng", line, detail="numpy-generator", entry=again, torch_is_seeded=True
    )
    assert seeded == without.partition("\n")[2]
    given = entry("torch-cpu", "seed", seeded=1)
    other = entry("torch-cpu", "seed", seeded=1, other_digest=2)
    known = [Evidence(found=divergence(), entries=[one]) for one in (given, other, made)]
    assert [seeds_torch(evidence) for evidence in known] == [True, False, False]


def test_a_seed_of_0_that_counts_as_none_is_told(tmp_path):
    script = tmp_path / "rngs.py"
    script.write_text(
        "import numpy as np\ndef make(seed=None):\n    if not seed:\n"
        "        seed = np.random.SeedSequence().entropy\n    return np.random.default_rng(seed)\n"
    )
    made = entry("numpy-generator", "construct", 4, seeded=0, detail="numpy.random.SeedSequence")
    place = Culprit(file=str(script), line=4, detail="numpy-generator", entry=made)
    told = fix("unseeded-rng", place, frozenset())
    assert told.splitlines()[0] == (
        "# Line 3: a seed of 0 counts as none there. Where 0 is passed, write `if seed is None:`, "
        "and no more. Else:"
    )
    text = script.read_text()
    for other in ("seed is None", "not use_seed", "not self.seeded", "seed"):
        script.write_text(text.replace("not seed", other))
        assert "Line 3" not in fix("unseeded-rng", place, frozenset())
    script.write_text(text.replace("not seed", "not args.random_state"))
    assert fix("unseeded-rng", place, frozenset()).startswith("# Line 3: ")


def test_a_database_that_counts_on_may_stay(fixed):
    line = "db.executescript('CREATE TABLE clips (id INTEGER PRIMARY KEY AUTOINCREMENT)')"
    told = fixed("data-changed", line, pins=("files",), left=("/w/clips.db",))
    assert told.startswith("Run 1 wrote /w/clips.db, and run 2 found it there. With AUTOINCREMENT,")
    assert "leave the word out" in told
    assert "AUTOINCREMENT" not in fixed("data-changed", line, pins=("files",), left=("/w/c.pt",))
    plain = fixed(
        "data-changed", "rows = db.execute(query)", pins=("files",), left=("/w/clips.db",)
    )
    assert "remove it before each run, or write to a folder" in plain


def test_who_was_seeded_once_more_got_no_other_number():
    seeded = entry(source="torch-generator", event="seed", line=9, other_digest=2, seeded=1)
    more = replace(seeded, row=replace(seeded.row, calls=2))
    at = Culprit(file="train.py", line=3)
    # A loader that is walked takes its seed from torch's generator, however far that has come.
    walked = replace(seeded, row=replace(seeded.row, detail="accelerate.DataLoader.__iter__"))
    given = replace(walked, origin=entry("clock", "read").row)
    cases = [([seeded], "train.py:9"), ([more], ""), ([walked], ""), ([given], "train.py:9")]
    for entries, place in cases:
        evidence: Any = SimpleNamespace(other_seeds=entries)
        assert seeded_elsewhere(evidence, at) == place


@pytest.mark.parametrize(
    ("source", "line", "own"),
    [
        ("python", "random.seed()", "own = random.Random()"),
        ("numpy", "np.random.seed()", "own = np.random.default_rng()"),
        ("torch-cpu", "torch.seed()", "own = torch.Generator(); own.seed()"),
    ],
)
def test_a_seed_that_takes_another_one_back_is_left_out(fixed, source, line, own):
    first = entry(source, "seed", 4, seeded=1)
    anew = entry(source, "seed", 9, seeded=0)
    drawn = entry(source, "draw", 12, seeded=0)
    later = entry(source, "seed", 7, seeded=1)
    known = Evidence(found=divergence(), entries=[first, entry(source, "draw", 5), anew, drawn])
    before = seeded_before(known, Culprit(entry=anew))
    assert before == "train.py:4"
    twice = Evidence(found=divergence(), entries=[first, later, anew])
    assert seeded_before(twice, Culprit(entry=anew)) == "train.py:7"
    made = replace(anew, row=replace(anew.row, detail="random.Random.seed"))
    other = Evidence(found=divergence(), entries=[first, made])
    assert seeded_before(other, Culprit(entry=made)) == ""
    assert seeded_before(known, Culprit(entry=drawn)) == ""
    assert seeded_before(Evidence(found=divergence(), entries=[anew]), Culprit(entry=anew)) == ""
    told = fixed("unseeded-rng", line, detail=source, entry=anew, seeded_before=before)
    assert told.startswith("Leave this seed from the system out: it takes back the one of train.py")
    assert told.endswith(f"{own}.")
    assert "seed(0)" in fixed("unseeded-rng", line, detail=source, entry=anew)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('header = {"seed": torch.seed()}', 'header = {"seed": torch.initial_seed()}'),
        ('note = f"seed {torch.random.seed()}"', 'note = f"seed {torch.random.initial_seed()}"'),
        ("print(torch.seed())", "print(torch.initial_seed())"),
        ("rng = Random(torch.seed())", "Leave this seed from the system out"),
        ("rngs = [Random(torch.seed()) for _ in range(4)]", "Leave this seed from the system out"),
        ("torch.seed()", "Leave this seed from the system out"),
        ("state = generator.seed()", "Leave this seed from the system out"),
    ],
)
def test_what_was_to_tell_the_seed_in_use_asks_for_it(fixed, line, told):
    """`torch.seed()` takes another one."""
    written = fixed("unseeded-rng", line, detail="torch-cpu", seeded_before="train.py:4")
    assert written.startswith(told)


@pytest.mark.parametrize(
    ("code", "line", "detail"),
    [
        ("entropy", "token = uuid.uuid4().hex[:8]", "uuid.uuid4"),
        ("clock", "started = time.strftime('%H%M%S')", "time.strftime"),
    ],
)
def test_a_name_stays_where_another_line_makes_a_seed_of_it(fixed, code, line, detail):
    read = entry(source=code, event="read", detail=detail)
    seeded = entry(source="torch-generator", event="seed", line=9, other_digest=2, seeded=1)
    evidence: Any = SimpleNamespace(other_seeds=[seeded])
    elsewhere = seeded_elsewhere(evidence, Culprit(file="/w/train.py", line=3))
    assert elsewhere == "train.py:9"
    written = fixed(code, line, detail=detail, entry=read, seeds=elsewhere)
    assert written.startswith("train.py:9 seeds a generator")
    assert "getrandbits" not in written
    assert seeded_elsewhere(evidence, Culprit(file=seeded.place[0], line=9)) == ""


@pytest.mark.parametrize(
    ("line", "seed"),
    [
        ("seed = seed or int(time.time() * 1000) % 2**31", "seed"),
        ("torch.manual_seed(args.seed or int(time.time()))", "args.seed"),
        ("seed = os.environ.get('SEED') or int(time.time())", "os.environ.get('SEED')"),
    ],
)
def test_a_seed_that_was_not_found_is_to_be_passed_on(fixed, line, seed):
    read = entry(source="clock", event="read", detail="time.time")
    written = fixed("clock", line, entry=read)
    assert written.startswith(f"`{seed}` is empty here")
    assert "is None" in written
    other = fixed("clock", line.replace(" or ", " + "), entry=read)
    assert "is empty" not in other


@pytest.mark.parametrize(
    ("code", "line", "written"),
    [
        ("unseeded-rng", "rng = np.random.default_rng()", "rng = np.random.default_rng(0)"),
        ("unseeded-rng", "rng = default_rng(seed=None)", "rng = default_rng(0)"),
        (
            "unseeded-rng",
            "self.rng = np.random.default_rng(seed)",
            "self.rng = np.random.default_rng(0 if seed is None else seed)",
        ),
        (
            "unseeded-rng",
            "r = random.Random(args.seed)",
            "r = random.Random(0 if args.seed is None else args.seed)",
        ),
        (
            "unseeded-rng",
            "self.root = np.random.SeedSequence(settings.get('seed'))",
            "self.root = np.random.SeedSequence("
            "0 if settings.get('seed') is None else settings.get('seed'))",
        ),
        (
            "unseeded-rng",
            "r = random.Random(settings['seed'])",
            "r = random.Random(0 if settings['seed'] is None else settings['seed'])",
        ),
        (
            "unseeded-rng",
            "root = np.random.SeedSequence(spawn_key=(rank, 1))",
            "root = np.random.SeedSequence(0, spawn_key=(rank, 1))",
        ),
        (
            "unseeded-rng",
            "root = np.random.SeedSequence(seed, spawn_key=(rank, 1))",
            "root = np.random.SeedSequence(0 if seed is None else seed, spawn_key=(rank, 1))",
        ),
        (
            "unseeded-rng",
            "root = np.random.SeedSequence(pool_size=8, entropy=args.seed)",
            "root = np.random.SeedSequence(0 if args.seed is None else args.seed, pool_size=8)",
        ),
        ("unseeded-rng", "g = torch.Generator()", "g = torch.Generator().manual_seed(0)"),
        ("unseeded-rng", "self.g.seed()", "self.g.manual_seed(0)"),
        ("unseeded-rng", "np.random.seed()", "np.random.seed(0)"),
        ("unseeded-rng", "f(Random(), 'ä', Random())", "f(Random(0), 'ä', Random())"),
        ("hash-order", "x = list(set(names))", UNLESS + "x = sorted(set(names))"),
        ("hash-order", 'x = ", ".join(names)', UNLESS + 'x = ", ".join(sorted(names))'),
        ("hash-order", "x = [f(n) for n in names]", UNLESS + "x = [f(n) for n in sorted(names)]"),
        (
            "hash-order",
            "x = {k: b.get(k) for k in a.keys() | b.keys()}",
            UNLESS + "x = {k: b.get(k) for k in sorted(a.keys() | b.keys())}",
        ),
        ("hash-order", "x = ['a', *names]", UNLESS + "x = ['a', *sorted(names)]"),
        ("hash-order", "x = hash(word) % 7", "x = zlib.crc32(word.encode()) % 7"),
        ("hash-order", "x = hash(a + b)", "x = zlib.crc32((a + b).encode())"),
        ("hash-order", "x = hash((a, b))", "x = zlib.crc32(repr((a, b)).encode())"),
        ("file-order", "x = os.listdir(path)", "x = sorted(os.listdir(path))"),
        (
            "file-order",
            "x = list(os.scandir('.'))",
            "x = list(sorted(os.scandir('.'), key=lambda entry: entry.name))",
        ),
        ("clock", "torch.manual_seed(int(time.time()))", "torch.manual_seed(0)"),
        ("clock", "args.seed = time.time_ns()", "args.seed = 0"),
        ("entropy", "x = secrets.choice(y)", SEED + "x = random.choice(y)"),
        (
            "entropy",
            "x = secrets.token_hex()",
            SEED + "x = random.randbytes(32).hex()",
        ),
        (
            "entropy",
            "x = os.urandom(size)[1:]",
            SEED + "x = random.randbytes(size)[1:]",
        ),
        ("entropy", "rng = Random(secrets.randbits(8))", "rng = Random(0)"),
        ("uninitialized-memory", "x = torch.empty(3, 4)", "x = torch.zeros(3, 4)"),
        ("uninitialized-memory", "x = y.new_empty(3,  4)", "x = y.new_zeros(3,  4)"),
        ("thread-timing", "x = list(p.imap_unordered(f, y))", "x = list(p.imap(f, y))"),
    ],
)
def test_the_line_is_put_right(fixed, code, line, written):
    assert fixed(code, line) == written
    ast.parse(written)


@pytest.mark.parametrize(
    ("known", "code", "line", "written"),
    [
        (
            "import torch as th",
            "unseeded-rng",
            "g = th.Generator()",
            "g = th.Generator().manual_seed(0)",
        ),
        ("import numpy.random as npr", "unseeded-rng", "npr.seed()", "npr.seed(0)"),
        ("from random import seed", "unseeded-rng", "seed()", "seed(0)"),
        (
            "from secrets import choice; import random",
            "entropy",
            "x = choice(y)",
            SEED + "x = random.choice(y)",
        ),
        (
            "from uuid import uuid4; import random",
            "entropy",
            "x = f'{uuid4()}'",
            "import uuid  # at the top of the file\n"
            + SEED
            + "x = f'{uuid.UUID(int=random.getrandbits(128), version=4)}'",
        ),
        ("import transformers as t", "clock", "t.set_seed(int(time.time()))", "t.set_seed(0)"),
        ("import os  # next(x)", "file-order", "x = p.iterdir()", "x = sorted(p.iterdir())"),
        ("next(x)", "file-order", "x = p.iterdir()", "x = iter(sorted(p.iterdir()))"),
        (
            "import event",
            "hash-order",
            "x = [*event.set(1), *{2}]",
            "x = [*event.set(1), *sorted({2})]",
        ),
    ],
)
def test_a_name_is_what_the_file_imported(fixed, known, code, line, written):
    assert fixed(code, line, known=known) == written


def test_a_function_that_gives_keys_may_name_them_after_what_they_are_of(tmp_path):
    """Seeded keys are the same in every run, and so no longer tell two runs apart."""
    script = tmp_path / "book.py"
    script.write_text("import random, uuid\ndef key():\n    return str(uuid.uuid4())\n")
    written = fix("entropy", Culprit(file=str(script), line=3, detail="uuid"))
    assert "return str(uuid.UUID(int=random.getrandbits(128), version=4))\n# or," in written
    assert "uuid.uuid5(namespace, name)" in written
    ast.parse(written.replace("return ", "_ = "))
    script.write_text("import random, uuid\ndef seeded():\n    return random.Random(secrets.x)\n")
    assert "uuid5" not in fix("entropy", Culprit(file=str(script), line=3, detail="secrets"))


@pytest.mark.parametrize(
    ("line", "unpacked"),
    [
        ("pairs = [(index[a], index[b]) for a, b in contacts(link)]", True),
        ("a, b = contact", True),
        ("for a, b in contacts:\n        pass", True),
        ("rows = [use(a) for a in contacts]", False),
    ],
)
def test_a_set_that_is_unpacked_is_put_in_order_where_it_is_made(fixed, line, unpacked):
    text = fixed("hash-order", line, walks_none=True)
    assert ("tuple(sorted(xs)) in place of frozenset(xs)" in text) == unpacked
    assert ("This line walks no set" in text) != unpacked


@pytest.mark.parametrize(
    ("line", "is_duration"),
    [
        ("seconds = time.perf_counter() - began", True),
        ("teacher.note(number, loss, time.perf_counter_ns() - began)", True),
        ("now = time.monotonic()", False),
        ("left = limit - time.monotonic()", False),
        ("if time.time() - began > 3:\n        break", False),
    ],
)
def test_of_a_duration_the_work_that_was_done_is_taken(fixed, line, is_duration):
    text = fixed("clock", line, detail="time.perf_counter")
    assert ("how much work it was in its place" in text) == is_duration


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("x = sorted(near(n), key=lambda j: j.hops)", "key=lambda j: (j.hops, j.name)"),
        ("x = min(near, key=lambda j: (j.hops, -j.x))", "key=lambda j: (j.hops, -j.x, j.name)"),
        ("x = sorted(near(n), key=hops)", ""),
        ("x = sorted(near(n), key=lambda j: (j.hops,))", "key=lambda j: (j.hops, j.name)"),
        ("x = sorted(near(n), key=lambda j: j.name)", ""),
        ("x = sorted(near(n), key=lambda j: j[1])", ""),
        ("x = [max(n.near, key=lambda j: j.hops) for n in nodes]", ""),
        ("x = list(near(n))", ""),
    ],
)
def test_a_key_by_which_objects_are_equal_is_told_to_tell_them_apart(fixed, line, key):
    walked = WalkedSet(file="train.py", line=3, goes_by="identity", ordered=False)
    written = fixed("address-order", line, walked=walked)
    assert (f"a number that each of them holds: {key}." in written) == bool(key)


@pytest.mark.parametrize("line", ["p.start()", "mp.spawn(train, nprocs=2)"])
def test_where_a_process_is_started_that_trains_a_shared_model_nothing_is_collected(fixed, line):
    written = fixed("thread-timing", line)
    assert "such as a shared model" in written
    assert "Executor.map" not in written


@pytest.mark.parametrize("line", ["p.start()", "mp.spawn(train, nprocs=2)"])
def test_of_processes_that_share_a_model_it_is_not_threads_that_are_spoken_of(fixed, line):
    written = fixed("process-timing", line)
    assert "a model in shared memory" in written
    assert "thread" not in written


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("while not path.exists() or path.stat().st_size < least:\n        time.sleep(1)", True),
        ("while os.path.getsize(path) < least:\n        time.sleep(1)", True),
        ("while not queue.empty():\n        time.sleep(1)", False),
        ("while not stop.exists():\n        train(model)", False),
        ("while not path.exists():\n        if failed():\n            raise RuntimeError", True),
        (
            "while not path.exists():\n        if failed():\n            raise RuntimeError\n"
            "        else:\n            train()",
            False,
        ),
        ("there = path.exists()", False),
    ],
)
def test_what_ends_when_a_file_is_there_has_to_wait_for_who_writes_it(fixed, line, is_told):
    assert ("process.wait()" in fixed("process-timing", line)) is is_told


def test_what_comes_from_processes_in_any_order_is_put_in_order(fixed):
    assert fixed("process-timing", "x = list(p.imap_unordered(f, y))") == "x = list(p.imap(f, y))"
    assert "in the order of the numbers" in fixed("process-timing", "n, w = results.get()")
    assert "number of the sender" in fixed("process-timing", "w = rpc_sync('node0', push, (r,))")


def test_a_receive_from_any_rank_is_told_to_name_its_sender(fixed):
    written = fixed("process-timing", "dist.recv(came)", operation="c10d.recv_any_source_")
    assert "recv(tensor, src=rank)" in written


def test_where_something_is_handed_over_a_copy_is_asked_for(fixed):
    written = fixed("thread-timing", "jobs.put((number, snapshot(net)))")
    assert "Hand over copies" in written
    assert ".clone()" in written


def test_where_readiness_is_asked_for_a_fixed_point_is_advised(fixed):
    assert "Do not ask: wait for it" in fixed("thread-timing", "stop = any(j.done() for j in jobs)")
    assert "with a time limit that only an error ends" in fixed(
        "thread-timing", "last = await asyncio.wait_for(queue.get(), 0.004)"
    )
    limited = "done, late = wait(futures.values(), timeout=PATIENCE)"
    assert "with a time limit that only an error ends" in fixed("thread-timing", limited)
    for line in (
        "done, late = futures.wait(jobs, 1)",
        "ready.wait(0.3)",
        "worker.join(timeout=limit)",
        "try: x = q.get(timeout=0.1)\n    except Empty: pass",
        "try: x = q.get(True, 0.1)\n    except Empty: pass",
        "try: x = job.result(timeout=1)\n    except TimeoutError: pass",
    ):
        assert "with a time limit that only an error ends" in fixed("thread-timing", line), line
    for line in (
        "rows.append(results.get(timeout=300))",
        "x = job.result(timeout=None)",
        "event.wait(timeout=None)",
        "try: x = requests.get(url, timeout=5)\n    except OSError: pass",
        "try: x = q.get(timeout=9)\n    except Empty: raise RuntimeError from None",
        "x = ', '.join(words)",
    ):
        assert "with a time limit" not in fixed("thread-timing", line), line
    stored = "info = path.stat()\n    rows.append((path.name, info.st_mtime))"
    assert "Sort by the files' names" in fixed("process-timing", stored)
    size = stored.replace("st_mtime", "st_size")
    assert "files' names" not in fixed("process-timing", size)
    for line in (
        "files = sorted(paths, key=lambda p: p.stat().st_mtime)",
        "files = sorted(paths, key=os.path.getmtime)",
    ):
        assert "Sort by the files' names" in fixed("process-timing", line)


def test_what_wait_says_to_be_done_is_taken_in_the_order_of_submission(fixed, tmp_path):
    walked = WalkedSet(file="train.py", line=3, goes_by="identity", ordered=False)
    line = "shots = [one.result() for one in done]"
    known = f"{IMPORTS}; from concurrent.futures import wait; done, late = wait(futures)"
    assert fixed("address-order", line, walked=walked, known=known) == (
        "shots = [one.result() for one in [future for future in futures if future in done]]"
    )
    script = tmp_path / "tasks.py"
    script.write_text(
        "async def main():\n    done, late = await asyncio.wait(tasks, timeout=9)\n"
        "    return [task.result() for task in done]\n"
    )
    at = replace(walked, file=str(script))
    assert fix("address-order", Culprit(file=str(script), line=3, walked=at)) == (
        "return [task.result() for task in [future for future in tasks if future in done]]"
    )
    known = known.replace("done, late = wait(futures)", "done, late = wait(late)")
    assert "sorted(done, key=...)" in fixed("address-order", line, walked=walked, known=known)
    known = known.replace("wait(late)", "wait({pool.submit(work)})")
    assert "sorted(done, key=...)" in fixed("address-order", line, walked=walked, known=known)


@pytest.mark.parametrize(
    ("begins", "of"),
    [
        ("waiting, rows = set(jobs), []", "jobs"),
        ("waiting = set(jobs)", "jobs"),
        ("waiting = {job(one) for one in names}", "tasks"),
        ("waiting = jobs()", "tasks"),
    ],
)
def test_sorting_is_not_enough_where_some_are_waited_for_at_a_time(tmp_path, begins, of):
    """Which of them come in one round goes by how long each took."""
    script = tmp_path / "rounds.py"
    script.write_text(
        f"async def main():\n    {begins}\n    while waiting:\n"
        "        done, waiting = await asyncio.wait(waiting, return_when=FIRST_COMPLETED)\n"
        "        rows.extend(one.result() for one in done)\n"
    )
    walked = WalkedSet(file=str(script), line=5, goes_by="identity", ordered=False)
    advice = fix("address-order", Culprit(file=str(script), line=5, walked=walked))
    assert f"[task.result() for task in {of}]" in advice
    assert "sorting each round is not enough" in advice
    assert "sorted(done" not in advice


def test_what_an_event_loop_collects_goes_on_at_the_same_time(fixed):
    line = "rows = [await job for job in asyncio.as_completed(jobs)]"
    assert fixed("thread-timing", line) == (
        "rows = [await job for job in [asyncio.ensure_future(task) for task in jobs]]"
    )
    assert fixed("thread-timing", line.replace("asyncio.", "futures.")) == (
        "rows = [await job for job in jobs]"
    )


def test_of_workers_that_share_a_generator_each_task_is_to_get_one(fixed):
    made = entry("numpy-generator", "construct", 3, seeded=1)
    written = fixed("thread-timing", "own = np.random.default_rng([seed, worker])", entry=made)
    assert "a generator of its own, seeded by the number of the task" in written


def test_of_a_loop_the_head_is_given(fixed):
    loop = "for name in names:  # all\n        print(name)\n    else:\n        pass"
    assert fixed("hash-order", loop) == UNLESS + "for name in sorted(names):"
    literal = loop.replace("names", "{'a', 'b'}")
    assert fixed("hash-order", literal) == "for name in sorted({'a', 'b'}):"


@pytest.mark.parametrize(
    ("line", "written"),
    [
        (
            "return [k for k, _ in enumerate(set(t.split()))], list(set(t.split()))",
            "return [k for k, _ in enumerate(sorted(set(t.split())))], sorted(set(t.split()))",
        ),
        (
            "x = list({'a'}), tuple({'é'}), hash(w)",
            "x = sorted({'a'}), tuple(sorted({'é'})), zlib.crc32(w.encode())",
        ),
        ("x = len(set('ab')), list({'a', 'b'})", "x = len(set('ab')), sorted({'a', 'b'})"),
        ("x = 'a' in {'a', 'b'}, *{'a', 'b'}", "x = 'a' in {'a', 'b'}, *sorted({'a', 'b'})"),
        (
            "x = sorted(f(n) for n in {'a'}), [*{'b'}]",
            "x = sorted(f(n) for n in {'a'}), [*sorted({'b'})]",
        ),
        ("x = max(set('ab'), key=c.count)", "x = max(sorted(set('ab')), key=c.count)"),
        ("x = list(enumerate({'a', 'b'}))", "x = list(enumerate(sorted({'a', 'b'})))"),
        ("x = list(map(f, {'a', 'b'}))", "x = list(map(f, sorted({'a', 'b'})))"),
        ("x = [n for n in set('ab') - b]", "x = [n for n in sorted(set('ab') - b)]"),
        ("x = dict(zip(set('ab'), {1, 2}))", "x = dict(zip(sorted(set('ab')), sorted({1, 2})))"),
        ("x = ', '.join(f(n) for n in {'a'})", "x = ', '.join(f(n) for n in sorted({'a'}))"),
    ],
)
def test_every_set_that_is_walked_is_put_in_order_and_no_other(fixed, line, written):
    assert fixed("hash-order", line).removeprefix(UNLESS) == written


@pytest.mark.parametrize("line", ["x = len(set(names))", "x = 'a' in set(names)", "x = any(names)"])
def test_where_no_order_matters_nothing_is_written(fixed, line):
    assert "Until then" in fixed("hash-order", line)


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ("", "return [block.width for block in self.blocks]"),
        ("", "for block in blocks:\n        print(block.width)"),
        ("blocks = set(); blocks.add(Block('a'))", "x = list(blocks)"),
        ("blocks = [Block('a'), Block('b')]", "x = list(set(blocks))"),
        ("", "x = list({Block('a'), Block('b')})"),
    ],
)
def test_objects_without_an_order_are_not_sorted_as_they_are(fixed, known, line):
    written = fixed("hash-order", line, known=known)
    assert written.startswith("Sort by something that the objects hold, such as a name: sorted(")
    assert "key=...)" in written


def test_what_goes_by_addresses_is_sorted_by_a_key(fixed):
    told = fixed("address-order", "x = [b.width for b in self.blocks]")
    assert "sorted(self.blocks, key=...) in place of self.blocks." in told
    # Only what is a set is put in order: the labels go by what stands before it.
    line = "rows = [d.width for d in moving + list(single)]"
    told = fixed("address-order", line, known=f"{IMPORTS}; single = set(found) - linked")
    assert "sorted(single, key=...) in place of single." in told
    for line, written in (
        ("y = [x for x in base + list(more)]", "y = [x for x in base + sorted(more)]"),
        ("x = ', '.join(first + list(names))", "x = ', '.join(first + sorted(names))"),
        ("y = [x for x in fixed + get(text)]", "y = [x for x in sorted(fixed + get(text))]"),
    ):
        assert written in fixed("hash-order", line)
    assert "sorted(label)" not in fixed(
        "hash-order", "x = [y for y in label]", known="label = '%s' % {1, 2}; names = {'a'}"
    )
    assert fixed("address-order", "seed = id(x)") == "seed = 0"
    told = fixed("address-order", "x = crc32(repr(y).encode())")
    assert "hold, such as a name" in told
    assert "the repr of an object" in told


@pytest.mark.parametrize(
    ("known", "line"),
    [
        ("names = set(); names.add('a'); names.update(text.split())", "x = list(names)"),
        ("names: set[str] = load()\nnames = {str(n) for n in y}", "x = list(names)"),
        ("words = text.split()", "x = list({w.lower() for w in words})"),
        ("words = text.split()", "x = list({w for w in words})"),
        ("", "x = [n.upper() for n in {(1, 'a'), (2, 'b')}]"),
    ],
)
def test_strings_and_numbers_are_sorted_without_more(fixed, known, line):
    known = known.split("\n")[-1]
    assert "#" not in fixed("hash-order", line, known=known)
    assert "sorted(" in fixed("hash-order", line, known=known)


@pytest.mark.parametrize(
    ("code", "line", "known", "first"),
    [
        ("hash-order", "v[hash(w)] += 1", "import numpy as np", "import zlib"),
        ("hash-order", "for k in [hash(w)]:\n        pass", "", "import zlib"),
        ("entropy", "x = secrets.choice(y)", "from random import shuffle", "import random"),
        ("worker-rng", "random.seed()", "import random", "import torch"),
        ("unseeded-rng", "random.shuffle(x)", "", None),
        ("unseeded-rng", "shuffle(x)", "from numpy.random import shuffle", "import numpy as np"),
    ],
)
def test_what_a_fix_uses_is_imported(fixed, code, line, known, first):
    detail = {"unseeded-rng": "numpy" if "numpy" in known else "python"}.get(code, "")
    written = fixed(code, line, known=known, detail=detail)
    lines = written.split("\n")
    if first is None:
        assert not written.startswith("import")
        return
    assert f"{first}  # at the top of the file" == lines[0]
    assert len(lines) == (3 if code in ("worker-rng", "entropy") else 2)


def test_what_the_function_imports_itself_is_known(fixed):
    line = "import zlib; y = 1; x = hash(w)"
    assert fixed("hash-order", line, known="") == "x = zlib.crc32(w.encode())"


def test_a_global_generator_is_seeded_at_the_start(fixed):
    written = fixed("unseeded-rng", "random.shuffle(rows)", detail="python")
    assert written.startswith("random.seed(0)  #")


@pytest.mark.parametrize("known", ["from random import *", "from random import choice, random"])
def test_the_module_gets_another_name_where_random_is_a_function(fixed, known):
    written = fixed("unseeded-rng", "x = random()", detail="python", known=known)
    assert written.splitlines() == [
        "import random as python_random  # at the top of the file",
        "python_random.seed(0)  # at the start, before anything is drawn",
    ]


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("told = {'seed': torch.seed()}", "told = {'seed': torch.initial_seed()}"),
        ("torch.seed()", "torch.manual_seed(0)"),
    ],
)
def test_a_seed_that_is_told_is_asked_for_and_not_made_anew(fixed, line, written):
    entries = entry("torch-cpu", "seed", 3, seeded=0, detail="torch.random.seed")
    assert fixed("unseeded-rng", line, detail="torch-cpu", entry=entries) == written


def test_a_generator_that_a_library_makes_is_seeded_at_its_object(fixed):
    made = entry("numpy-generator", "construct", detail="pettingzoo.spaces.Discrete.sample")
    line = "return self.env.action_space.sample()"
    written = fixed("unseeded-rng", line, detail="numpy-generator", entry=made)
    assert written.startswith("pettingzoo.spaces.Discrete.sample creates its own generator")
    assert "method seed" in written
    assert "give each the same generator" in written
    assert "default_rng" not in written  # a fixed generator here would draw the same each time


@pytest.mark.parametrize(
    ("source", "event", "maker", "words"),
    [
        ("numpy-generator", "construct", "numpy.random.default_rng", "np.random.default_rng(0)"),
        ("numpy", "construct", "numpy.random.RandomState", "numpy.random.RandomState(0)"),
        ("numpy-generator", "construct", "scipy.sparse.linalg.eigsh", "eigsh makes a generator"),
        ("numpy-generator", "draw", "numpy.random.Generator.random", "where it is made"),
        ("numpy", "draw", "numpy.random.RandomState.normal", "where it is made"),
        ("python", "draw", "random.Random.random", "where it is made"),
        ("numpy", "draw", "numpy.random.normal", "np.random.seed(number)"),
        ("python", "draw", "random.randint", "random.seed(number)"),
        ("torch-cpu", "draw", "torch.randn", "torch.manual_seed(number)"),
    ],
)
def test_in_another_process_the_generator_is_seeded_that_was_drawn_from(
    source, event, maker, words
):
    place = Culprit(detail=source, entry=entry(source, event, 3, seeded=0, detail=maker))
    assert words in causes.known("unseeded-rng").advice_elsewhere(place)


def test_the_digest_of_a_path_in_a_temporary_folder_is_named(fixed):
    made = entry("pid", detail="tempfile.TemporaryDirectory.__init__")
    line = "with tempfile.TemporaryDirectory() as folder: pass"
    written = fixed("entropy", line, detail="tempfile", entry=made, digested=("splits.py:7",))
    assert "taken at splits.py:7" in written
    assert "path.name" in written
    assert "splits.py" not in fixed("entropy", line, detail="tempfile", entry=made)


def test_a_secret_seed_is_told_to_stay_one_where_it_must(fixed):
    drawn = entry("urandom", "draw", detail="random.SystemRandom.getrandbits")
    line = "shared = np.random.default_rng(secrets.randbits(128))"
    written = fixed("entropy", line, detail="secrets", entry=drawn, seeded=True)
    assert "if nobody may guess them: keep secrets" in written


def test_a_function_that_draws_by_itself_is_given_a_generator(fixed):
    made = entry("numpy-generator", "construct", detail="scipy.sparse.linalg._eigen.arpack.eigsh")
    line = "values, modes = eigsh(stiffness, 6, sigma=0)"
    written = fixed("unseeded-rng", line, detail="numpy-generator", entry=made)
    assert written.startswith("eigsh makes a generator of its own")
    assert "rng, seed or random_state" in written
    assert "its method seed" not in written


@pytest.mark.parametrize("event", ["construct", "draw"])
def test_a_space_that_is_sampled_is_seeded_once(fixed, event):
    one = entry("numpy-generator", event, detail="gymnasium.spaces.discrete.Discrete.sample")
    line = "action[i] = self.tanks.single_action_space.sample()"
    written = fixed("unseeded-rng", line, detail="numpy-generator", entry=one)
    assert "before the first draw: self.tanks.single_action_space.seed(0)." in written
    assert "default_rng" not in written
    unread = fixed("unseeded-rng", "act(env)", detail="numpy-generator", entry=one)
    assert "env.action_space.seed(0)" in unread


@pytest.mark.parametrize(
    ("reset", "passed_on"),
    [
        ("class Tank(gym.Env):\n def reset(self, *, seed=None): super().reset()", True),
        ("class Tank(gym.Env):\n def reset(self, seed=None): super().reset(seed=seed)", False),
        ("class Tank(gym.Env):\n def reset(self, **given): super().reset(**given)", False),
        ("class Meter:\n def reset(self, seed=0): super().reset()", False),
    ],
)
def test_an_environment_gets_its_seed_where_it_is_reset(fixed, reset, passed_on):
    made = entry(source="numpy-generator", detail="gymnasium.core.Env.np_random", event="construct")
    place = {"detail": "numpy-generator", "entry": made}
    text = fixed("unseeded-rng", "x = self.np_random.uniform()", known=reset, **place)
    assert "env.reset(seed=0)" in text
    assert ("at train.py:2: super().reset(seed=seed)" in text) == passed_on


@pytest.mark.parametrize(
    ("reset", "begins"),
    [
        ("class Tank(gym.Env):\n def reset(self, *, seed=None): self.level = 0", True),
        ("class Tank(gym.Env):\n def reset(self, *, seed=None): self.rng = make(seed)", False),
        ("class Tank(gym.Env):\n def reset(self): self.level = 0", False),
    ],
)
def test_a_reset_that_ignores_its_seed_is_told_to_begin_with_its_parents(fixed, reset, begins):
    made = entry(source="numpy-generator", detail="gymnasium.core.Env.np_random", event="construct")
    place = {"detail": "numpy-generator", "entry": made}
    text = fixed("unseeded-rng", "x = self.np_random.uniform()", known=reset, **place)
    assert ("Begin the reset at train.py:2 with super().reset(seed=seed)" in text) == begins
    assert "env.reset(seed=0)" in text


@pytest.mark.parametrize(
    ("line", "before"),
    [(4, True), (6, False), (8, False)],
    ids=["in __init__", "in reset", "in a method"],
)
def test_what_an_environment_draws_while_it_is_made_has_no_seed_yet(tmp_path, line, before):
    script = tmp_path / "tug.py"
    script.write_text(
        "class Tug(gym.Env):\n"
        "    def __init__(self):\n"
        "        self.size = 8\n"
        "        self.current = self.np_random.normal(0.0, 0.15, 8)\n"
        "    def reset(self, *, seed=None, options=None):\n"
        "        self.pos = self.np_random.uniform(0.5, 4.0, 2)\n"
        "    def step(self, action):\n"
        "        self.pos += self.np_random.normal(0.0, 0.1, 2)\n"
    )
    made = entry(source="numpy-generator", detail="gymnasium.core.Env.np_random", event="construct")
    place = Culprit(file=str(script), line=line, detail="numpy-generator", entry=made)
    text = fix("unseeded-rng", place)
    assert text.startswith("self.np_random is used here before any reset") == before
    assert ("default_rng(0)" in text) == before
    assert ("env.reset(seed=0)" in text) != before


def test_what_begins_anew_begins_with_the_seed_that_it_has(tmp_path):
    script = tmp_path / "masks.py"
    script.write_text(
        "class Plan:\n"
        "    def __init__(self, seed):\n"
        "        self.seed = seed\n"
        "        self.generator = torch.Generator().manual_seed(seed)\n"
        "    def rewind(self):\n"
        "        self.generator.seed()\n"
        "    def draw(self):\n"
        "        self.generator.seed()\n"
        "    def reset(self):\n"
        "        np.random.seed()\n"
    )
    told = [
        fix("unseeded-rng", Culprit(file=str(script), line=n, detail="torch-generator"))
        for n in (6, 8, 10)
    ]
    assert told[0] == "self.generator.manual_seed(self.seed)"
    assert "torch.randint" in told[1]
    assert "np.random.seed(torch.randint" in told[2]


PLAN = "class Plan:\n def __init__"


@pytest.mark.parametrize(
    "source",
    [
        f"{PLAN}(self, seed=None): self.seed = seed\n def reset(self):\n  {{}}\n",
        f"{PLAN}(self, *, seed=None): self.seed = seed\n def reset(self):\n  {{}}\n",
        f"{PLAN}(self, n): self.seed = n\n def reset(self):\n  if self.seed is None: {{}}\n",
        f"{PLAN}(self, n): self.seed = n\nclass Masks:\n def reset(self):\n  {{}}\n",
        f"{PLAN}(self, n): self.seed = n\n def reset_masks(self):\n  {{}}\n",
    ],
    ids=["None by default", "by a keyword", "asked for None", "of another class", "not all of it"],
)
def test_a_seed_that_may_be_none_or_of_another_object_is_not_given(tmp_path, source):
    script = tmp_path / "masks.py"
    script.write_text(source.format("self.generator.seed()"))
    line = 1 + source[: source.index("{}")].count("\n")
    written = fix("unseeded-rng", Culprit(file=str(script), line=line, detail="torch-generator"))
    assert "manual_seed(self.seed)" not in written


def test_the_current_date_is_replaced_by_one_that_the_data_hold(fixed):
    line = "days = (datetime.now(utc) - at).days"
    written = fixed("clock", line, detail="datetime.datetime.now")
    assert "the data contain" in written
    assert "Seed" not in written


def test_a_generator_of_ones_own_is_seeded_where_it_is_made(fixed):
    written = fixed("unseeded-rng", "x = rng.normal(size=3)", detail="numpy-generator")
    assert "where it is made: np.random.default_rng(0)" in written
    assert "seed_everything" not in written


@pytest.mark.parametrize(
    ("pins", "part"),
    [
        (("deterministic-algorithms",), "torch.use_deterministic_algorithms(True)"),
        (("threads",), "torch.set_num_threads(1)"),
        ((), "samebits explain aten.put_"),
    ],
)
def test_an_operation_is_settled_by_what_settled_it(fixed, pins, part):
    assert part in fixed("nondeterministic-op", "x.put_(a, b)", detail="aten.put_", pins=pins)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("rng = default_rng({})", "torch.randint(2**63 - 1, ()).item()"),
        ("self.seed = {}", "torch.randint(2**32, ()).item()"),
    ],
)
@pytest.mark.parametrize("code", ["entropy", "clock"])
def test_in_a_worker_each_one_gets_a_seed_of_its_own(fixed, code, line, number):
    reads = line.format("os.getpid()")
    seeded = "torch.manual_seed(0)  # at the start of the script, once\n"
    told = fixed(code, reads, entry=entry("pid", worker=1))
    assert told == seeded + line.format(number)
    assert fixed(code, reads, entry=entry("pid")) == line.format("0")


def test_tasks_of_a_pool_do_not_all_get_the_same_number(fixed):
    child = entry("pid", process=1, detail="os.getpid")
    told = fixed("entropy", "rng = default_rng([s, os.getpid()])", entry=child, seeded=True)
    assert told.startswith("Seed with the number of the task in place of the number of the process")


@pytest.mark.parametrize(("code", "source"), [("entropy", "urandom"), ("clock", "clock")])
def test_a_number_that_became_a_seed_is_to_be_written_down(fixed, code, source):
    line = "return int.from_bytes(os.urandom(4), 'little')"
    origin = LedgerPair(row=entry(source).row)
    told = "Seed with a number that stays the same in every run, such as 0."
    assert fixed(code, line, entry=origin, seeded=True) == told
    assert told not in fixed(code, line, entry=origin)


def test_what_ends_by_the_clock_is_to_end_by_steps(fixed):
    line = "return time.time() - self.started > self.seconds"
    told = fixed("clock", line, entry=entry("clock"))
    assert told == "Count steps instead of seconds: stop, or save, after a number of steps."


def test_a_file_that_runs_leave_to_each_other_is_named(fixed):
    read = entry("file", detail="/w/last.pt")
    told = fixed("data-changed", "x = torch.load(path)", pins=("files",), entry=read)
    assert told.startswith("Run 1 wrote /w/last.pt, and run 2 found it there: remove it")
    told = fixed("data-changed", "x = torch.load(path)", pins=("files",))
    assert told.startswith("Run 1 wrote the file, and run 2 found it there")
    told = fixed("data-changed", "x = json.load(f)", pins=("files",), rewritten=("/w/a.json",))
    assert told.startswith("Run 1 wrote /w/a.json, and run 2 found it there")
    raw = entry("file", detail="/w/raw.csv")  # read by the first run alone, which made a cache
    left = ("/w/a.pt", "/w/b.pt")
    told = fixed("data-changed", "x = load(root)", pins=("files",), entry=raw, left=left)
    assert told.startswith("Run 1 wrote /w/a.pt and /w/b.pt, and run 2 found them there")


@pytest.mark.parametrize(
    ("known", "line", "expected"),
    [
        ("root = 'data'", "x = os.path.join(root, names.pop())", None),
        ("key = ('a', 3)", "h = hash(key) % 7", "h = zlib.crc32(repr(key).encode()) % 7"),
        ("x = 'a'", "h = hash(x.encode())", "h = zlib.crc32(x.encode())"),
        ("x = 'a'", "h = hash(frozenset(x))", "zlib.crc32(repr(sorted(frozenset(x))).encode())"),
        ("a = ['a']", "for x in (set(a)  # all: of it\n        ): pass", "\n    ):"),
    ],
)
def test_a_fix_can_be_pasted(fixed, known, line, expected):
    told = fixed("hash-order", line, known=known)
    if expected is None:
        assert "join(sorted(" not in told
    else:
        assert told.endswith(expected)
        code = told if expected[-1] != ":" else f"{told} pass"
        compile(code, "train.py", "exec")


def test_further_lines_move_with_the_first(fixed):
    told = fixed("hash-order", "d = {c: 1 for c in\n         set(a)}", known="a = ['a']")
    assert told == "d = {c: 1 for c in\n     sorted(set(a))}"


def test_the_lines_of_a_string_stay_as_they_are(fixed):
    told = fixed("hash-order", "d = ['''a\n        b''', *set(a)]", known="a = ['a']")
    assert "a\n        b" in told


def test_a_decorator_is_rewritten_with_its_function(tmp_path):
    script = tmp_path / "train.py"
    script.write_text("@deco(list({'a', 'b'}))\ndef f(x=1):\n    pass\n")
    told = fix("hash-order", Culprit(file=str(script), line=2), frozenset())
    assert told == "@deco(sorted({'a', 'b'}))\ndef f(x=1):"


def test_a_listing_that_is_entered_gets_a_sentence(fixed):
    told = fixed("file-order", "with os.scandir(p) as it: pass")
    # Names that are drawn anew come in another order however they are sorted.
    drawn = fixed("file-order", "x = os.listdir(path)", pins=("entropy", "files", "listing"))
    assert "drawn anew" in drawn
    assert "sorted(os.listdir" not in drawn
    assert not told.startswith("with")


def test_names_that_are_given_to_each_other_come_to_an_end(fixed):
    names = [f"n{number}" for number in range(12)]
    known = "; ".join(f"{a} = {b}" for a in names for b in names if a != b)
    assert fixed("hash-order", "x = [k for k in n0]", known=known)


def test_a_line_of_thousands_of_terms_is_advised(fixed):
    line = f"x = list({{{' + '.join(['a'] * 2000)}}})"
    assert fixed("hash-order", line).startswith("Write sorted(...) around the set.")


def test_what_cannot_be_written_is_advised(fixed):
    assert "sorted" in fixed("hash-order", "x = y.pop()")
    assert fixed("data-changed", "x = read()")


@pytest.mark.parametrize("text", ["def broken(", "\0", "x = 1\n" * 3])
def test_a_file_that_cannot_be_read_is_no_error(tmp_path, text):
    script = tmp_path / "train.py"
    script.write_text(text)
    for line in (1, 2, 99):
        assert fix("hash-order", Culprit(file=str(script), line=line), frozenset())
    assert fix("hash-order", Culprit(file=str(tmp_path / "gone.py"), line=1), frozenset())
    assert fix("hash-order", Culprit(), frozenset())


@pytest.mark.parametrize(("line", "branch"), [(1, None), (3, 3), (4, 3), (5, 5), (6, 3), (9, None)])
def test_what_ends_a_loop_from_anywhere_is_its_condition(tmp_path, line, branch):
    script = tmp_path / "train.py"
    script.write_text(
        "x = 1\n"
        "\n"
        "while not asked():\n"
        "    x += 1\n"
        "    if x:\n"
        "        x += (\n"
        "            1)\n"
        "    def inner():\n"
        "        return 1\n"
    )
    assert branch_at(str(script), line) == branch


def test_codes_that_nobody_may_guess_may_stay(fixed):
    written = fixed("entropy", "x = secrets.choice(y)", detail="secrets")
    assert "random.choice(y)" in written
    assert "keep secrets, and let no split or order go by" in written
    ast.parse(written)
    assert "secrets" not in fixed("entropy", "x = os.urandom(4)", detail="urandom")


def test_a_seed_that_an_object_was_to_hold_is_looked_for_where_it_is_set(tmp_path):
    """A setting has another name than the one that was asked for."""
    source = """class Belt:
    def __init__(self, options):
        self.seed = options.get("seed")
    def generator(self, epoch, index):
        return np.random.SeedSequence(self.seed, spawn_key=(epoch, index))
"""
    (tmp_path / "belt.py").write_text(source)
    place = Culprit(file=str(tmp_path / "belt.py"), line=5)
    written = (
        "return np.random.SeedSequence(0 if self.seed is None else self.seed, "
        "spawn_key=(epoch, index))\n# self.seed is None here: see what belt.py:3 sets it to"
    )
    assert fix("worker-rng", place) == written
    (tmp_path / "twice.py").write_text(source + "        self.seed = 3\n")
    assert "sets it" not in fix("worker-rng", Culprit(file=str(tmp_path / "twice.py"), line=5))


def test_a_time_by_which_objects_are_ordered_is_left_out_of_comparisons(fixed):
    written = fixed(
        "clock", "trial.seconds += time.time() - t", compared="Trial.seconds, at t.py:4"
    )
    assert "Trial.seconds, at t.py:4. Leave it out of comparisons" in written


def test_so_is_one_in_place_of_which_secrets_were_drawn(fixed):
    drawn = entry(source="urandom", event="draw", detail="random.SystemRandom.getrandbits")
    line = "seed = seed or secrets.randbits(64)"
    written = fixed("entropy", line, detail="secrets", entry=drawn, known="import secrets")
    assert written.startswith("`seed` is empty here")


def test_threads_of_an_estimator_are_told_to_be_one(fixed):
    known = "from sklearn.ensemble import RandomForestRegressor as F; forest = F(n_jobs=2)"
    line = "estimate[rows] = forest.predict(x[rows])"
    assert "n_jobs=1" in fixed("thread-timing", line, known=known)
    assert "n_jobs=1" not in fixed("thread-timing", line)
