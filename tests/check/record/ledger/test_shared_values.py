"""Numbers that processes share: which lines read and write them."""

from __future__ import annotations

import multiprocessing as mp

from samebits.check.trace.reader import Trace


def test_values_and_arrays_are_noted_where_they_are_read_and_written(count):
    value, other, array = mp.Value("i", 3), mp.Value("d", 0.5), mp.Array("d", 2)

    def work():
        value.value += 1
        array[0] = other.value
        array[:] = [1.0, 2.0]
        return value.value, array[1], list(array)

    found = count(work)
    assert found.result == (4, 2.0, [1.0, 2.0])
    names = {row.detail.rpartition(" ")[0] for row in found.of("shared-value")}
    assert names == {"multiprocessing.Synchronized", "multiprocessing.SynchronizedArray"}
    # A row for each value, line and event.
    first = [row for row in found.of("shared-value", "read") if row.calls == 1]
    assert len({row.detail for row in first}) >= 2
    assert len(found.of("shared-value", "write")) >= 3
    value.value = 7  # nothing watches any more
    assert value.value == 7


def test_what_is_read_tells_runs_apart(count):
    value = mp.Value("i", 3)
    digests = []
    for number in (3, 3, 4):
        value.value = number
        digests.append(count(lambda: value.value).only("shared-value").digest)
    assert digests[0] == digests[1] != digests[2]


def test_a_child_has_rows_of_its_own(scripts):
    script = scripts.write(
        """
        import multiprocessing as mp
        value = mp.get_context("fork").Value("i", 0)
        def work():
            value.value = 5
        process = mp.get_context("fork").Process(target=work)
        process.start()
        process.join()
        assert value.value == 5
        """
    )
    ended, result = scripts.recorded(script)
    assert ended.code == 0
    rows = [row for row in Trace.open(result.folder).ledger() if row.source == "shared-value"]
    assert {(row.event, row.process, row.site.line) for row in rows} == {
        ("write", 1, 5),
        ("read", 0, 9),
    }
