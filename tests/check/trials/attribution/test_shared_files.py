"""Files that a loader's workers share: the line that opened or mapped them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.shared_files import file_that_workers_share

SOURCE = """\
class Pings(Dataset):
    def __init__(self, path):
        self.path = path
        self.stream = open(path, "rb")
    def __getitem__(self, index):
        self.stream.seek(index)
"""
SHARED = entry("shared-file", "read", 9, detail="Pings.stream", amount=2)
WORKERS = entry("process", "start", 9)
UNSEEDED = entry("numpy", "draw", 3, seeded=0)
LISTED = entry("listing", "list", 4, other_digest=2, order_free=5)


@pytest.fixture
def told(tmp_path, attempt):
    """What is said of a script that holds a dataset, and of a file that workers share."""

    def ask(pair=SHARED, source=SOURCE, entries=(WORKERS,), *, nothing_else=False, **changes):
        script = tmp_path / "train.py"
        script.write_text(source)
        situation = attempt(found=divergence(**changes)).situation
        situation.traces[0].manifest.script["path"] = str(script)
        evidence = Evidence(
            found=situation.found, entries=entries, between=(pair,), sources=[str(script)]
        )
        return file_that_workers_share(situation, evidence, nothing_else=nothing_else)

    return ask


def test_the_line_that_opened_it_is_named(told):
    cause = told()
    assert (cause.code, cause.detail, cause.line) == ("process-timing", "Pings.stream", 4)
    assert cause.confidence == "likely"
    assert "when the loader forked its 2 workers" in cause.evidence
    assert "self.stream = None" in cause.fix


def test_of_a_map_a_copy_is_to_be_changed(told):
    mapped = replace(SHARED, row=replace(SHARED.row, event="write", detail="Pings.trace"))
    source = SOURCE.replace("stream = open(", "trace = np.load(")
    cause = told(mapped, source.replace("self.stream.seek(index)", "self.trace[index] -= 1"))
    assert (cause.detail, cause.line) == ("Pings.trace", 4)
    assert "what one of them writes there the others read" in cause.evidence
    assert "np.array" in cause.fix


def test_without_one_line_that_opened_it_the_loaders_is_named(told):
    assert told(source=SOURCE + "        self.stream = None\n").line == 9


@pytest.mark.parametrize("changes", [{"data": False}, {"data": False, "random": True}])
def test_where_no_data_differ_it_is_no_reason(told, changes):
    assert told(nothing_else=True, **changes) is None


def test_nor_where_something_was_drawn_without_a_seed(told):
    assert told(entries=(WORKERS, UNSEEDED), nothing_else=True) is None


@pytest.mark.parametrize(
    ("source", "entries"), [("names = {'a', 'b'}\n" + SOURCE, ()), (SOURCE, (LISTED,))]
)
def test_what_else_may_explain_it_is_tried_before(told, source, entries):
    assert told(source=source, entries=(WORKERS, *entries)) is None
    assert told(source=source, entries=(WORKERS, *entries), nothing_else=True) is not None


def test_another_note_is_none(told):
    assert told(entry("readiness", "read", 9, amount=2)) is None


def test_one_that_is_not_seen_to_be_read_at_its_position_is_none(told):
    assert told(source="x = 1\n", nothing_else=True) is None
    at_places = SOURCE.replace(
        "self.stream.seek(index)", "os.pread(self.stream.fileno(), 4, index)"
    )
    assert told(source=at_places, nothing_else=True) is None


def test_batches_that_come_as_they_are_ready_come_first(told, tmp_path):
    site = Site(str(tmp_path / "train.py"), 9, "main", "")
    entries = (WORKERS, entry("worker", "start", site=site))
    assert told(entries=entries) is not None
    out_of_order = SOURCE + "loader = DataLoader(data, num_workers=2, in_order=False)\n"
    assert told(source=out_of_order, entries=entries, nothing_else=True) is None
