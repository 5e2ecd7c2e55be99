"""What the standard library draws and reads, by the line that asked for it."""

# ruff: noqa: PTH110, PTH116, PTH202, PTH204, PTH207, PTH208
from __future__ import annotations

import datetime
import glob
import os
import pathlib
import random
import secrets
import shutil
import socket
import socketserver
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import numpy as np
import pytest


def line_of(function, offset: int) -> int:
    return function.__code__.co_firstlineno + offset


def says(row, name: str) -> bool:
    """Whether a row names this function; before 3.11 code objects do not know their class."""
    if sys.version_info >= (3, 11):
        return row.detail == name
    return (row.detail.split(".")[0], row.detail.split(".")[-1]) == (
        name.split(".")[0],
        name.split(".")[-1],
    )


def test_a_draw_names_the_line_and_what_the_line_called(count):
    def draw():
        random.random()
        random.shuffle([1, 2, 3, 4])
        return random.random()

    first, shuffled, last = count(draw).of("python", "draw")
    assert (first.detail, first.calls, first.amount) == ("random.random", 1, 1)
    assert first.site.line == line_of(draw, 1)
    assert first.site.file == __file__
    assert shuffled.detail == "random.shuffle"
    assert shuffled.calls >= 3
    assert last.site.line == line_of(draw, 3)


def test_a_draw_by_a_library_counts_at_the_users_line(count):
    row = count(lambda: statistics.NormalDist(0, 1).samples(7)).only("python", "draw")
    assert says(row, "statistics.NormalDist.samples")
    assert row.amount >= 7
    assert row.site.file == __file__


def test_generators_know_whether_they_were_seeded(count):
    def use():
        random.random()
        random.seed(5)
        random.random()
        random.seed()
        random.random()
        random.Random(3).random()
        random.Random().random()
        state = random.getstate()
        random.setstate(state)
        random.random()

    counted = count(use)
    # The last one: what was put back is the state of a generator that nobody has seeded.
    assert [row.seeded for row in counted.of("python", "draw")] == [0, 1, 0, 1, 0, 0]
    assert [row.seeded for row in counted.of("python", "construct")] == [1, 0]
    assert [(row.detail, row.seeded) for row in counted.of("python", "seed")] == [
        ("random.seed", 1),
        ("random.seed", 0),
        ("random.setstate", 0),
    ]


def test_a_state_that_is_kept_of_a_seeded_generator_is_a_seed(count):
    def use():
        random.seed(5)
        state = random.getstate()
        random.seed()
        random.setstate(state)
        random.random()

    assert count(use).only("python", "draw").seeded == 1


def test_a_seed_is_kept_as_a_digest(count):
    digests = [
        count(lambda s=seed: random.seed(s)).only("python").digest for seed in (1, 1, 2, "1")
    ]
    assert digests[0] == digests[1] != 0
    assert len(set(digests)) == 3


@pytest.mark.parametrize("clock", ["time", "perf_counter", "monotonic", "process_time"])
def test_a_duration_is_known_by_the_readings_of_its_clock(ledger, clock):
    read = getattr(time, clock)
    begin = read()
    for _ in range(100):
        before = read()
    after = read()
    assert after - begin > 0
    assert ledger.is_duration(after - begin)
    assert ledger.is_duration(after - before) or after == before
    assert not ledger.is_duration(after - begin + 1e-3)
    assert not ledger.is_duration(0.25)
    assert not ledger.is_duration(after + begin)


def test_a_duration_that_is_long_past_is_none(ledger):
    begin = time.perf_counter()
    passed = time.perf_counter() - begin
    assert ledger.is_duration(passed)
    for _ in range(10):
        time.perf_counter()
    assert not ledger.is_duration(passed)


def test_what_a_clock_was_read_to_be_is_a_time(ledger):
    now, precise = time.time(), time.time_ns()
    assert ledger.is_time(now)
    assert ledger.is_time(float(int(now)))
    assert ledger.is_time(float(precise))
    assert not ledger.is_time(now - 3600)
    spent = time.process_time()
    assert ledger.is_time(spent)
    assert not ledger.is_time(float(int(spent)))  # 3, as any number of epochs may be
    assert not ledger.is_time(float(int(time.monotonic())))
    assert not ledger.is_time(float(int(now) - 1))


def test_times_of_files_are_no_readings_of_a_clock(ledger, tmp_path):
    """As they come out of an archive they are whole seconds apart, like any small number."""
    for number in range(4):
        (tmp_path / f"{number}").write_text("")
        os.utime(tmp_path / f"{number}", (1.6e9 + number, 1.6e9 + number))
    found = [(tmp_path / f"{number}").stat().st_mtime for number in range(4)]
    assert found[3] - found[0] == 3
    assert not any(ledger.is_duration(float(number)) for number in range(1, 4))
    assert not any(ledger.is_time(time) for time in found)


def test_a_short_number_is_no_duration(ledger, monkeypatch):
    monkeypatch.setattr(ledger, "is_duration", lambda seconds: True)
    assert ledger.is_time(0.123456789)
    assert not ledger.is_time(2.0)
    assert not ledger.is_time(0.25)


def free_port():
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


def test_a_port_that_the_system_chooses_counts_at_the_users_line(count):
    def serve():
        with socketserver.TCPServer(("127.0.0.1", 0), None) as server, socket.socket() as bound:
            bound.bind((server.server_address[0], free_port()))
            with socket.socket(socket.AF_UNIX) as other:
                other.bind("")

    first, second = count(serve).of("port", "draw")
    assert says(first, "socketserver.TCPServer.__init__")
    assert first.site.line == line_of(serve, 1)
    assert says(second, "socket.bind")
    assert second.site.line == line_of(free_port, 2)
    assert first.digest != second.digest


def test_a_socket_that_cannot_be_bound_has_no_port(count):
    def serve():
        with socket.socket() as bound:
            bound.bind(("127.0.0.1", free_port()))
            with pytest.raises(OSError, match="Invalid argument"):
                bound.bind(("127.0.0.1", 0))  # it has an address already

    (row,) = count(serve).of("port", "draw")
    assert row.site.line == line_of(free_port, 2)


@pytest.mark.parametrize(
    "seed",
    [
        lambda: int(time.time()),
        lambda: int(time.time() * 1000) % 2**32,
        lambda: time.time(),
        lambda: time.time_ns() % (2**32 - 1),
        lambda: int(datetime.datetime.now().timestamp()),
        lambda: datetime.datetime.now().microsecond,
        lambda: os.getpid(),
        lambda: int.from_bytes(os.urandom(4), "big"),
        lambda: int.from_bytes(os.urandom(8), "little"),
        lambda: secrets.randbits(32),
        lambda: uuid.uuid4().int % 2**32,
        lambda: hash("name") % 2**32,
        lambda: hash("name"),
        lambda: free_port(),
    ],
)
def test_a_seed_knows_what_it_was_made_of(count, seed):
    counted = count(lambda: random.seed(seed()))
    row = counted.only("python", "seed")
    assert row.origin >= 0, counted.rows
    sources = ("clock", "pid", "urandom", "secrets", "uuid", "hash", "port")
    assert counted.rows[row.origin].source in sources


def test_a_number_that_was_written_down_comes_from_nowhere(count):
    # Of many digits: a small number is the end of some reading once in a few thousand runs, which
    # is why a seed's origin is told only where it is the same in both of them.
    def seed():
        time.time()
        hash("name")
        os.urandom(8)
        random.seed(0x5EED_2026_1124_0123)

    assert count(seed).only("python", "seed").origin == -1


def test_entropy(count):
    def draw():
        os.urandom(5)
        secrets.token_hex(4)
        uuid.uuid4()
        uuid.uuid1()
        random.SystemRandom().random()

    counted = count(draw)
    plain, system = counted.of("urandom")
    assert says(plain, "os.urandom")
    assert says(system, "random.SystemRandom.random")
    assert (plain.amount, system.amount) == (5, 7)
    assert (counted.only("secrets").detail, counted.only("secrets").amount) == (
        "secrets.token_hex",
        4,
    )
    assert [row.detail for row in counted.of("uuid")] == ["uuid.uuid4", "uuid.uuid1"]
    assert all(row.digest for row in counted.rows)


def test_clocks_pids_and_hashes(count):
    def read():
        for _ in range(3):
            time.time()
        time.perf_counter()
        datetime.datetime.now()
        datetime.datetime.now(datetime.timezone.utc)
        datetime.date.today()
        os.getpid()
        hash("text")
        hash(17)
        time.gmtime(0)  # tells no time of its own
        time.strftime("%Y", time.gmtime(0))

    counted = count(read)
    assert [(row.detail, row.calls) for row in counted.of("clock")] == [
        ("time.time", 3),
        ("time.perf_counter", 1),
        ("datetime.datetime.now", 1),
        ("datetime.datetime.now", 1),
        ("datetime.date.today", 1),
    ]
    assert counted.only("pid").detail == "os.getpid"
    assert counted.only("hash").calls == 1


class Hashing:
    def __hash__(self):
        return hash((self.__class__, 1))


@pytest.mark.parametrize(
    ("value", "by_address"),
    [
        ((1, 2.5, float("nan")), True),
        ((0, (1, np.float32("nan"))), True),
        (np.float64("nan"), True),
        (object(), True),
        ((Hashing, 1), True),
        (None, sys.version_info < (3, 12)),
        ((1, 2.5, (True, 3 + 1j)), False),
        (Hashing(), False),  # for a set or a dict, mostly
        (np.float32(1.5), False),
    ],
)
def test_hashes_that_are_made_of_an_address(count, value, by_address):
    assert [row.calls for row in count(lambda: hash(value)).of("address")] == [1] * by_address


def test_hashes_within_libraries_are_their_own_business(count):
    assert count(lambda: pathlib.PurePath("a") in {pathlib.PurePath("b")}).of("hash") == []


def test_a_listing_is_digested_in_its_order_and_without(count, tmp_path):
    for name in "cab":
        (tmp_path / name).touch()

    def read():
        os.listdir(tmp_path)
        with os.scandir(tmp_path) as entries:
            [entry.name for entry in entries]
        list(tmp_path.iterdir())
        glob.glob(f"{tmp_path}/*")
        sorted(os.walk(tmp_path))

    rows = count(read).of("listing")
    # The walk goes by other names in other versions.
    names = ("os.listdir", "os.scandir", "pathlib.Path.iterdir", "glob.glob")
    assert all(says(row, name) for row, name in zip(rows, names, strict=False))
    assert len(rows) == 5
    assert {row.amount for row in rows} == {3}
    assert len({row.digest for row in rows}) == 1
    assert len({row.order_free for row in rows}) == 1
    (tmp_path / "d").touch()
    other = count(lambda: os.listdir(tmp_path)).only("listing")
    assert other.digest != rows[0].digest
    assert other.order_free != rows[0].order_free


def test_the_environment_is_kept_by_name_and_digest(count, monkeypatch):
    monkeypatch.setenv("SECRET", "hunter2")

    def read():
        os.environ.get("SECRET")
        os.getenv("NOT_THERE")
        os.environ["WRITTEN"] = "1"
        "SECRET" in os.environ  # noqa: B015

    monkeypatch.setenv("WRITTEN", "0")
    rows = count(read).of("environment")
    assert [(row.detail, bool(row.digest)) for row in rows] == [
        ("SECRET", True),
        ("NOT_THERE", False),
        ("SECRET", True),
    ]
    assert "hunter2" not in repr(rows)


def test_variables_that_libraries_ask_for_are_left_out(count):
    assert count(lambda: tempfile._candidate_tempdir_list()).of("environment") == []


def test_threads_programs_and_connections(count):
    import socket

    def start():
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()
        subprocess.run([sys.executable, "-S", "-c", ""], check=True)
        with socket.socket() as one, socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            one.connect(other.getsockname())

    counted = count(start)
    assert says(counted.only("thread"), "threading.Thread.start")
    assert counted.only("process").detail.endswith(" by subprocess.run")
    assert counted.only("network").detail.startswith("127.0.0.1:")


def test_what_raises_draws_nothing(count):
    def fail():
        with pytest.raises(TypeError):
            os.urandom("many")
        with pytest.raises(TypeError):
            random.getrandbits()
        with pytest.raises(FileNotFoundError):
            os.listdir("/nowhere/at/all")

    assert [row for row in count(fail).rows if row.source != "environment"] == []


def test_the_time_of_a_file_is_a_clock(count, tmp_path):
    path = tmp_path / "data"
    path.touch()

    def read():
        os.path.getmtime(path)
        path.stat().st_mtime  # noqa: B018
        return os.stat(path).st_mtime_ns

    rows = count(read).of("clock", "read")
    assert [row.site.line for row in rows] == [line_of(read, n) for n in (1, 2, 3)]
    assert rows[0].detail == "genericpath.getmtime"
    assert rows[2].detail == "os.stat"
    assert rows[0].digest != 0


def test_whether_a_file_is_there_is_no_clock(count, tmp_path):
    path = tmp_path / "data"
    path.touch()

    def look():
        return path.exists(), os.path.exists(path), os.path.getsize(path), path.stat().st_size

    assert count(look).of("clock") == []

    def copy():
        # It names a time, and what copies the file asks for one on its own behalf.
        shutil.copy2(path, tmp_path / "copy")
        return "st_mtime"

    assert count(copy).of("clock") == []


def test_a_seed_made_of_a_files_time_leads_back_to_it(count, tmp_path):
    path = tmp_path / "data"
    path.touch()

    def seed():
        random.seed(int(os.path.getmtime(path)))

    rows = count(seed).rows
    (made,) = [row for row in rows if row.event == "seed"]
    assert rows[made.origin].source == "clock"


def test_a_name_that_a_library_asks_for_is_tempfiles(count):
    library = {"__name__": "made_up"}
    source = "import tempfile\ndef ask(): return tempfile.mktemp()"
    exec(
        compile(source, str(pathlib.Path(pytest.__file__).with_name("made_up.py")), "exec"), library
    )
    tempfile._name_sequence = None  # its generator is made anew
    rows = count(lambda: library["ask"]()).of("python")
    assert {row.event for row in rows} == {"construct", "draw"}
    assert {row.detail.partition(".")[0] for row in rows} == {"tempfile"}
