"""The hook "files": files put back before each run."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import numpy as np
import pytest

SOURCES = {
    "append": """
        from pathlib import Path
        with open("log.txt", "a") as file:
            file.write("run\\n")
        print(len(Path("log.txt").read_text().split()), Path("log.txt").stat().st_size)
        """,
    "read and write": """
        number = len(open("log.txt").read())
        with open("log.txt", "w") as file:
            file.write("x" * (number + 1))
        print(number, open("log.txt").read())
        """,
    "replace": """
        import os
        before = open("log.txt").read()
        with open("new.txt", "w") as file:
            file.write(before + "more")
        os.replace("new.txt", "log.txt")
        print(open("log.txt").read(), os.path.exists("new.txt"))
        """,
    "remove": """
        import os
        print(os.path.exists("log.txt"))
        os.remove("log.txt")
        print(os.path.exists("log.txt"))
        try:
            open("log.txt")
        except FileNotFoundError:
            print("gone")
        with open("log.txt", "x") as file:
            file.write("back")
        print(open("log.txt").read())
        os.unlink("log.txt")
        print(os.path.isfile("log.txt"))
        """,
    "descriptor": """
        import os
        descriptor = os.open("log.txt", os.O_WRONLY | os.O_APPEND)
        os.write(descriptor, b"12")
        os.close(descriptor)
        print(open("log.txt").read(), os.path.getsize("log.txt"))
        """,
    "truncate": """
        import os
        print(os.path.getsize("log.txt"))
        os.truncate("log.txt", 3)
        print(open("log.txt").read(), os.path.getsize("log.txt"))
        """,
    "time of last change": """
        import os
        print(os.path.getmtime("log.txt") > 1000)
        os.utime("log.txt", (5, 5))
        print(os.path.getmtime("log.txt"))
        """,
    "numpy": """
        import os
        import numpy as np
        state = np.load("state.npy") if os.path.exists("state.npy") else np.zeros(1)
        np.save("state.npy", state + 1)
        print(np.load("state.npy"))
        """,
    "database": """
        import os
        import sqlite3
        from contextlib import closing
        from pathlib import Path

        def rows(path, **options):
            with closing(sqlite3.connect(path, **options)) as base, base:
                base.execute("CREATE TABLE IF NOT EXISTS runs (number INTEGER)")
                base.execute("INSERT INTO runs VALUES (1)")
            with closing(sqlite3.connect(path, **options)) as base:
                return len(base.execute("SELECT * FROM runs").fetchall())

        print(rows(Path("runs.sqlite")), rows("new.sqlite", timeout=1.0))
        with closing(sqlite3.connect(":memory:")) as base:
            base.execute("CREATE TABLE runs (number INTEGER)")
        print(os.path.exists("new.sqlite"), os.path.exists(":memory:"))
        os.remove("new.sqlite")
        """,
}


@pytest.mark.parametrize("way", SOURCES)
def test_a_file_is_found_as_it_was(run, tmp_path, way):
    log = tmp_path / "log.txt"
    log.write_text("first\n")
    np.save(tmp_path / "state.npy", np.ones(1))
    saved = (tmp_path / "state.npy").read_bytes()
    with closing(sqlite3.connect(tmp_path / "runs.sqlite")) as base, base:
        base.execute("CREATE TABLE runs (number INTEGER)")
    first, second = run(SOURCES[way], {"files": {}}), run(SOURCES[way], {"files": {}})
    assert first == second
    assert log.read_text() == "first\n"
    assert (tmp_path / "state.npy").read_bytes() == saved
    # The script itself sees what it has written, as it does without.
    assert run(SOURCES[way]) == first


def test_packages_are_left_alone_wherever_they_lie(run, tmp_path):
    package = tmp_path / "lib" / "site-packages" / "some"
    package.mkdir(parents=True)
    (package / "table.txt").write_text("first")
    run('open("lib/site-packages/some/table.txt", "a").write("more")', {"files": {}})
    assert (package / "table.txt").read_text() == "firstmore"


def test_what_is_installed_is_not_asked_for_folder_by_folder(run):
    """Imports ask for tens of thousands of such paths."""
    lines = run(
        """
        import os, sys
        asked = []
        lstat = os.path.realpath.__globals__["os"].lstat
        def counting(path, *args, **kwargs):
            asked.append(path)
            return lstat(path, *args, **kwargs)
        os.lstat = counting
        print(os.path.isfile(os.__file__), len(asked))
        os.path.isfile("script.py")
        print(len(asked) > 0)
        """,
        {"files": {}},
    )
    assert lines == [f"{lines[0].split()[0]} 0", "True"]


def test_a_path_that_leads_out_of_the_installation_is_the_users(run, tmp_path):
    (tmp_path / "log.txt").write_text("first")
    run(
        """
        import os, sys
        path = os.path.relpath("log.txt", sys.prefix)
        with open(os.path.join(sys.prefix, path), "a") as file:
            file.write("more")
        """,
        {"files": {}},
    )
    assert (tmp_path / "log.txt").read_text() == "first"


def test_new_files_are_made_and_can_be_listed(run, tmp_path):
    lines = run(
        """
        import os, tempfile
        with tempfile.TemporaryDirectory(dir=".") as folder:
            for name in "ab":
                with open(f"{folder}/{name}", "w") as file:
                    file.write(name)
                with open(f"{folder}/{name}", "a") as file:
                    file.write(name)
            print(sorted(os.listdir(folder)), open(f"{folder}/b").read())
            os.remove(f"{folder}/a")
            print(os.listdir(folder))
        print(os.path.exists(folder))
        """,
        {"files": {}},
    )
    assert lines == ["['a', 'b'] bb", "['b']", "False"]


def test_children_see_what_the_parent_has_written(run, tmp_path):
    (tmp_path / "log.txt").write_text("first\n")
    lines = run(
        """
        import multiprocessing
        def look():
            print(open("log.txt").read(), flush=True)
        with open("log.txt", "w") as file:
            file.write("second")
        process = multiprocessing.get_context("fork").Process(target=look)
        process.start(); process.join()
        """,
        {"files": {}},
    )
    assert lines == ["second"]
    assert (tmp_path / "log.txt").read_text() == "first\n"


def test_what_a_run_makes_anew_is_gone_for_the_next_one(run, tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "own.txt").write_text("own")
    (tmp_path / "log.txt").write_text("first")
    source = """
        import os, subprocess
        from pathlib import Path
        print(os.path.exists("flag.txt"), os.path.isdir("cache"), sorted(os.listdir(".")))
        Path("flag.txt").touch()
        os.makedirs("cache/deep", exist_ok=True)
        if os.fork() == 0:
            open("cache/deep/of-child", "w").close()
            os._exit(0)
        os.wait()
        open("cache/temporary", "w").close()
        os.replace("cache/temporary", "cache/final")
        open("kept/new.txt", "w").close()
        os.replace("log.txt", "moved.txt")
        print(subprocess.check_output(["ls", "cache", "cache/deep"], text=True).split())
        try:
            os.remove("missing.txt")
        except FileNotFoundError:
            subprocess.run(["touch", "missing.txt"], check=True)
        """
    first = run(source, {"files": {}})
    (tmp_path / "missing.txt").unlink()  # made by another program, which the hook does not follow
    assert run(source, {"files": {}}) == first
    assert first[0].startswith("False False")
    names = ["kept", "kept/own.txt", "log.txt", "missing.txt", "script.py"]
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*")) == names


def test_a_folder_that_holds_what_others_made_stays(run, tmp_path):
    run(
        """
        import os, subprocess
        os.mkdir("new")
        subprocess.run(["touch", "new/by-program"], check=True)
        open("new/by-script", "w").close()
        """,
        {"files": {}},
    )
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["by-program"]


def test_a_folder_made_under_another_name_is_gone_as_well(run, tmp_path):
    source = """
        import os
        os.mkdir("step.tmp")
        open("step.tmp/weights", "x").close()
        os.rename("step.tmp", "step")
        print(os.listdir("."))
        """
    first = run(source, {"files": {}})
    assert run(source, {"files": {}}) == first
    assert [path.name for path in tmp_path.iterdir()] == ["script.py"]


def test_a_folder_that_was_there_before_is_not_taken_away(run, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "model").write_text("of before")
    run(
        """
        import os, shutil
        shutil.rmtree("out")
        os.makedirs("out")
        open("out/model", "w").write("new")
        """,
        {"files": {}},
    )
    assert (tmp_path / "out" / "model").read_text() == "new"


def test_threads_make_one_file_at_the_same_time(run):
    printed = run(
        """
        import os
        from concurrent.futures import ThreadPoolExecutor
        from threading import Barrier

        together = Barrier(4)

        def make(_):
            failed = 0
            for number in range(200):
                together.wait()
                try:
                    open(f"made-{number}.txt", "a").close()
                except OSError:
                    failed += 1
            return failed

        with ThreadPoolExecutor(4) as pool:
            print(sum(pool.map(make, range(4))))
        """,
        {"files": {}},
    )
    assert "".join(printed).split() == ["0"]


def test_what_threads_write_at_a_hard_end_does_not_reach_the_file(run, tmp_path):
    (tmp_path / "log.txt").write_text("first")
    run(
        """
        import os
        from samebits.check.hooks.files import FilesHook
        import gc
        open("log.txt", "a").write("more")
        hook = next(o for o in gc.get_objects() if isinstance(o, FilesHook))
        hook.end()
        try:
            open("log.txt", "a").write("after the end")
        except OSError:
            pass
        """,
        {"files": {}},
    )
    assert (tmp_path / "log.txt").read_text() == "first"


def test_a_copy_is_known_by_the_file_it_was_made_of(run, tmp_path):
    (tmp_path / "log.txt").write_text("first")
    lines = run(
        """
        import io, os
        from samebits.core.interposition.copied_files import original_of
        for opening in (open, io.open):  # pathlib's write_text asks the latter
            for name in ("log.txt", "new.txt"):
                with opening(name, "w") as file:
                    path = os.path.abspath(file.name)
                print(os.path.basename(original_of(path)))
        """,
        {"files": {}},
    )
    assert lines == ["log.txt", "new.txt"] * 2


MOVED = """
    import os, shutil
    from pathlib import Path
    os.mkdir("runs")
    os.replace("best.pt", "runs/best.pt")
    os.rename("runs", "runs-1")
    os.mkdir("new")
    os.rename("old", "new/old")
    os.rename("new", "new-1")
    os.mkdir("cache")
    Path("cache/x").write_text("made")
    shutil.rmtree("cache")
    os.symlink("data", "cache")
    Path("made.txt").write_text("made")
    """


def test_what_was_there_before_is_not_taken_away_under_another_name(run, tmp_path):
    for path in ("best.pt", "old/deep.txt", "data/x"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(path)
    run(MOVED, {"files": {}})
    left = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()}
    assert (tmp_path / "data/x").read_text() == "data/x"
    assert (tmp_path / "new-1/old/deep.txt").read_text() == "old/deep.txt"
    assert "best.pt" in left  # what takes its place in this run is a copy
    assert "made.txt" not in left
