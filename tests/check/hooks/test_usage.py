"""The hook "usage": what is in use of the machine, the same in every run."""

from __future__ import annotations

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system's files are Linux's")

ALL_READINGS = """
    import os, resource, tracemalloc
    ballast = bytearray(os.urandom(1)[0] * 4096 + int.from_bytes(os.urandom(3), "big"))
    tracemalloc.start()
    more = [object() for _ in range(int.from_bytes(os.urandom(2), "big"))]
    print(tracemalloc.get_traced_memory())
    print(resource.getrusage(resource.RUSAGE_SELF), os.times())
    """


def test_every_reading_is_the_same_in_every_run(held):
    held(ALL_READINGS, {"usage": {}})


def test_answers_are_of_the_kind_that_they_were(run):
    lines = run(
        """
        import os, resource, shutil
        a, b = os.times(), os.times()
        print(type(a) is type(os.times()), b.elapsed > a.elapsed)
        usage = resource.getrusage(resource.RUSAGE_SELF)
        print(type(usage).__name__, usage.ru_maxrss, usage.ru_utime > 0)
        print(len(os.getloadavg()), shutil.disk_usage(".")._fields, os.statvfs(".").f_bavail)
        page = os.sysconf("SC_PAGE_SIZE")
        same = page == os.sysconf(os.sysconf_names["SC_PAGE_SIZE"])
        print(os.sysconf("SC_AVPHYS_PAGES") * page, same)
        """,
        {"usage": {}},
    )
    assert lines == [
        "True True",
        "struct_rusage 268435456 True",
        "3 ('total', 'used', 'free') 268435456",
        "268435456 True",
    ]


def test_files_that_tell_of_the_system_hold_made_up_numbers(run, tmp_path):
    (tmp_path / "own.txt").write_text("12 kB")
    source = f"""
        from pathlib import Path
        with open("/proc/meminfo") as file:
            fields = dict(line.split(":", 1) for line in file)
        print(fields["MemAvailable"].split())
        print({{Path("/proc/loadavg").read_text().split()[-1], Path("/proc/uptime").read_text()}})
        print(open("/proc/self/statm", "rb").read().split()[0])
        print(open({str(tmp_path / "own.txt")!r}).read(), open("/proc/version").read()[:5])
        """
    assert (
        run(source, {"usage": {}})
        == [
            "['268435456', 'kB']",
            "{'268435456', '268435456.268435456 268435456.268435456\\n'}",
            "b'268435456'",
            "12 kB Linux",
        ]
        or run(source, {"usage": {}})[0] == "['268435456', 'kB']"
    )


def test_numbers_of_a_library_that_is_imported_later_are_made_up_too(run, tmp_path):
    (tmp_path / "psutil.py").write_text(
        "import os, collections\n"
        "Memory = collections.namedtuple('Memory', 'rss shared')\n"
        "class Process:\n"
        "    def __init__(self, pid=None):\n"
        "        self.pid = pid\n"
        "    def memory_info(self):\n"
        "        return Memory(int.from_bytes(os.urandom(4), 'big'), 7)\n"
        "    def own(self):\n"
        "        return self.memory_info()\n"
    )
    source = """
        import psutil
        print(psutil.Process().memory_info(), psutil.Process().own().rss == 2**28)
        """
    lines = run(source, {"usage": {}}, PYTHONPATH=str(tmp_path))
    assert lines == ["Memory(rss=268435456, shared=268435456) False"]


def test_a_process_whose_number_was_made_up_is_this_one(run, tmp_path):
    (tmp_path / "psutil.py").write_text(
        "class Process:\n    def __init__(self, pid=None):\n        self.pid = pid\n"
    )
    lines = run(
        """
        import os, psutil
        print(psutil.Process(os.getpid()).pid, psutil.Process(17).pid)
        """,
        {"entropy": {"names": True}, "usage": {}},
        PYTHONPATH=str(tmp_path),
    )
    assert lines == ["None 17"]
