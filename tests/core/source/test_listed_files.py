"""Where files are read in the order in which a line has listed and sorted them."""

from __future__ import annotations

import textwrap

import pytest

from samebits.core.source.listed_files import reads_what_it_sorts

ARCHIVE = """
    def scans(folder):
        paths = sorted(folder.glob("leaf_*.png"))
        return [(path, labels[path.name]) for path in paths]
    """
DATASET = """
    class Scans(Dataset):
        def __init__(self, entries):
            self.entries = entries

        def __getitem__(self, index):
            path, label = self.entries[index]
            with Image.open(path) as image:
                return np.asarray(image), label

    def main():
        train = random_split(Scans(archive.scans(folder)), [0.8, 0.2])
    """


@pytest.fixture
def read(tmp_path):
    """Whether what archive.py sorts is read, there or in main.py."""

    def ask(archive=ARCHIVE, main=DATASET):
        paths = [tmp_path / name for name in ("archive.py", "main.py")]
        for path, source in zip(paths, (archive, main), strict=True):
            path.write_text(textwrap.dedent(source).lstrip("\n"))
        lines = paths[0].read_text().splitlines()
        line = next(n for n, text in enumerate(lines, 1) if "glob" in text)
        return reads_what_it_sorts(str(paths[0]), line, frozenset(map(str, paths)))

    return ask


def test_a_list_is_followed_into_the_file_that_reads_it(read):
    assert read()
    assert read(
        main=DATASET.replace("Scans(archive", "Scans(list(archive").replace("folder))", "folder)))")
    )
    assert read(main="for path, label in archive.scans(folder):\n    show(Image.open(path))\n")


@pytest.mark.parametrize(
    ("archive", "main"),
    [
        (("sorted(", "list("), ("", "")),
        (("return [(path, labels[path.name]) for path in paths]", "check(paths)"), ("", "")),
        (("", ""), ("archive.scans", "archive.others")),
        (("", ""), ("Image.open(path)", "Image.open(logo)")),
        (("", ""), ("self.entries[index]", "self.others[index]")),
    ],
    ids=["not sorted", "not returned", "another list", "another file", "of another list"],
)
def test_what_is_not_read_in_that_order_is_not_told(read, archive, main):
    assert not read(ARCHIVE.replace(*archive), DATASET.replace(*main))


COUNTED = """
    paths = sorted(folder.glob("*"))
    count = len(paths)
    for epoch in range(count):
        x = np.load("fixed.npy")
    """
OF_ANOTHER_FUNCTION = """
    def clean():
        paths = sorted(folder.glob("*"))
        remove(paths)

    def read(paths):
        return [np.load(path) for path in paths]
    """
OF_ANOTHER_CLASS = """
    class Cleaner:
        def __init__(self):
            self.paths = sorted(folder.glob("*"))

    class Reader:
        def first(self):
            return np.load(self.paths[0])
    """
WRITTEN = """
    paths = sorted(folder.glob("*"))
    for path in paths:
        open(f"{path}.done", "w").close()
    """


@pytest.mark.parametrize("source", [COUNTED, OF_ANOTHER_FUNCTION, OF_ANOTHER_CLASS, WRITTEN])
def test_a_name_stands_for_the_list_where_it_is_stored_alone(read, source):
    assert not read(source, "")


def test_a_function_of_the_same_name_is_another_one(read):
    source = """
        def load(folder):
            return sorted(folder.glob("*"))
        """
    assert not read(source, "import json\nfor row in json.load(f)['rows']:\n    open(row)\n")
    assert read(source, "import archive\nfor row in archive.load(d):\n    open(row)\n")
    assert read(source, "from archive import load\nparts = pool.map(np.load, load(d))\n")


def test_what_a_pool_maps_reads_each(read):
    source = """
        def one(path):
            return np.load(path)

        def every(folder):
            names = sorted(folder.glob("*.npy"))
            return list(pool.map(one, names))
        """
    assert read(source, "")
    assert not read(source.replace("pool.map(one, names)", "pool.map(name_of, names)"), "")


OF_THE_MODULE = """
    FILES = sorted(DATA.glob("*.npy"))

    def item(n):
        return np.load(FILES[n])
    """
CLOSURE = """
    def make(folder):
        paths = sorted(folder.glob("*.npy"))

        def item(n):
            return np.load(paths[n])

        return item
    """


@pytest.mark.parametrize("source", [OF_THE_MODULE, CLOSURE])
def test_a_function_sees_the_names_around_it(read, source):
    assert read(source, "")


BY_NUMBER = """
    paths = sorted(folder.glob("*"))
    for path in sorted(paths, key=number_of):
        np.load(path)
    """
NUMBERED = """
    paths = sorted(folder.glob("*"))
    for n, path in enumerate(paths):
        np.load(f"fixed{n}.npy")
    """
OF_JSON = """
    import json

    def load(folder):
        return sorted(folder.glob("*"))

    for row in json.load(file):
        open(row)
    """


@pytest.mark.parametrize("source", [BY_NUMBER, NUMBERED, OF_JSON])
def test_another_order_or_another_thing_is_not_told(read, source):
    assert not read(source, "")
