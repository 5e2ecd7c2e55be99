"""The hook "listing": directories sorted, or in another order."""

from __future__ import annotations

import pytest

SOURCE = """
    import glob, os, pathlib
    print([name for name in os.listdir("d")])
    print([entry.name for entry in os.scandir("d")])
    print([os.path.basename(name) for name in glob.glob("d/*")])
    print([path.name for path in pathlib.Path("d").iterdir()])
    print([path.name for path in pathlib.Path("d").glob("*")])
    print(next(os.walk("d"))[2])
    print([name.decode() for name in os.listdir(b"d")])
    with os.scandir("d") as entries:
        print([entry.name for entry in entries])
    """


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d").mkdir()
    for number in (7, 3, 9, 1, 5, 8, 2, 6, 4):
        (tmp_path / "d" / f"file-{number}").touch()
    return tmp_path


def test_sorted(run, folder):
    for line in run(SOURCE, {"listing": {}}):
        assert eval(line) == [f"file-{n}" for n in range(1, 10)], line


def test_permuted(run, folder):
    plain = run(SOURCE)
    permuted = run(SOURCE, {"listing": {"order": "permuted"}})
    assert run(SOURCE, {"listing": {"order": "permuted"}}) == permuted
    for line, other in zip(plain, permuted, strict=True):
        assert line != other
        assert sorted(eval(line)) == sorted(eval(other))
    assert run(SOURCE, {"listing": {"order": "permuted", "seed": 1}}) != permuted


def test_two_entries_change_places(run, folder):
    for number in (1, 2, 3, 4, 5, 6, 7):
        (folder / "d" / f"file-{number}").unlink()
    plain, permuted = run(SOURCE), run(SOURCE, {"listing": {"order": "permuted"}})
    assert [eval(line) for line in permuted] == [eval(line)[::-1] for line in plain]


def test_one_line_alone(run, folder):
    source = "import os\nprint(os.listdir('d'))\nprint(os.listdir('d'))\n"
    hooks = {"listing": {"order": "permuted", "sites": [[str(folder / "script.py"), 3]]}}
    plain, lines = run(source), run(source, hooks)
    assert lines[0] == plain[0]
    assert lines[1] != plain[1]


def test_errors_and_iterators_are_as_ever(run, folder):
    source = """
        import os, traceback
        try:
            os.listdir("missing")
        except FileNotFoundError:
            traceback.print_exc(file=__import__("sys").stdout)
        entries = os.scandir("d")
        print(iter(entries) is entries, next(entries).is_file())
        entries.close()
        print(list(entries), list(os.scandir()) != [], os.listdir.__name__, os.listdir.__module__)
        """
    assert run(source, {"listing": {}}) == run(source)
