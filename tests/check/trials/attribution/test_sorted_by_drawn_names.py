"""Files that are named by chance and read sorted by their names."""

from __future__ import annotations

import textwrap
from dataclasses import replace
from uuid import UUID

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trace.rows import Site
from samebits.check.trials.attribution.sorted_by_drawn_names import order_of_drawn_names

HEX = ("0f" * 16, "1e" * 16)
SHARDS = """
    def export(folder):
        name = f"part-{uuid.uuid4()}.npz"
        np.savez(folder / name, images=images)

    def read(folder):
        for path in sorted(folder.glob("*.npz")):
            with np.load(path) as part:
                yield part["images"]
    """


@pytest.fixture
def told(tmp_path, make_run):
    """What is said of a source; `differs`: whether the listing does.

    Run B has changed what is `removed` as well, and has `left` some of it.
    """

    def ask(
        source=SHARDS,
        *more,
        written=("part-{}.npz", "part-{}.npz"),
        differs=True,
        removed=(),
        left=(),
        **found,
    ):
        file = tmp_path / "shards.py"
        file.write_text(textwrap.dedent(source).lstrip("\n"))
        lines = file.read_text().splitlines()
        at = {w: next(n for n, t in enumerate(lines, 1) if w in t) for w in ("uuid4", "glob")}

        def noted(source, event, word, **facts):
            pair = entry(source, event, at[word], **facts)
            site = Site(str(file), at[word], "f", "")
            other = replace(pair.other, site=site)
            return replace(pair, row=replace(pair.row, site=site), other=other)

        uuid = noted("uuid", "draw", "uuid4", detail="uuid.uuid4", other_digest=2)
        listed = noted("listing", "list", "glob", other_digest=2 if differs else 1)
        runs = tuple(
            make_run(
                [{}],
                extra={"drawn": [digits]},
                changed={"paths": [f"/w/{name.format(digits)}", *gone], "found": []},
                files=[
                    {"path": path, "kind": "bytes", "digest": "d", "size": 1, "step": -1}
                    for path in there
                ],
            )
            for digits, name, gone, there in zip(
                HEX, written, ((), removed), ((), left), strict=True
            )
        )
        where = divergence(**{"data": True, "random": False} | found)
        return order_of_drawn_names(Evidence(found=where, entries=(uuid, listed, *more)), runs)

    return ask


def test_the_line_that_names_the_files_is_told(told):
    cause = told()
    assert (cause.code, cause.detail, cause.line, cause.confidence) == (
        "entropy",
        "uuid",
        2,
        "likely",
    )
    assert "shards.py:6 reads files in the order of their names" in cause.evidence
    assert "part-{number:05d}" in cause.fix


def test_files_of_the_run_before_may_be_removed_first(told):
    names = [f"part-{UUID(digits)}.npz" for digits in HEX]
    assert told(written=names, removed=[f"/w/{names[0]}"]).line == 2
    assert told(written=[names[0], names[0]]) is None
    rewritten = [f"/w/{names[0]}"]
    assert told(written=names, removed=rewritten, left=rewritten) is None


def test_a_comprehension_reads_them_as_well(told):
    source = """
        name = f"{uuid.uuid4()}.npz"
        parts = [np.load(path) for path in sorted(folder.glob("*.npz"))]
        """
    assert told(source).line == 1


def test_a_function_may_give_the_sorted_names_to_what_reads_them(told):
    source = """
        def save(folder):
            tag = uuid.uuid4().hex
            torch.save(weights, folder / f"snap-{tag}.pt")

        def paths(folder):
            return sorted(folder.glob("snap-*.pt"))

        def average(folder):
            for path in paths(folder)[-4:]:
                add(torch.load(path))
        """
    cause = told(source)
    assert cause.line == 2
    assert "shards.py:6 lists files in the order of their names" in cause.evidence
    assert told(source.replace("torch.load(path)", "path")) is None
    assert told(source.replace('pt"))', 'pt"), key=number)')) is None


@pytest.mark.parametrize(
    ("use", "line"),
    [
        ("for path in found[-4:]:\n            add(torch.load(path))", 2),
        ("parts = [torch.load(path) for path in found]", 2),
        ("for old in found[:-4]:\n            old.unlink()", None),
        ("print(len(found), json.load(settings))", None),
    ],
    ids=["read", "in a comprehension", "removed", "counted"],
)
def test_what_is_sorted_must_be_read_file_by_file(told, use, line):
    source = f"""
        def save(folder):
            tag = uuid.uuid4().hex
            torch.save(weights, folder / f"snap-{{tag}}.pt")

        found = sorted(folder.glob("snap-*.pt"))
        {use}
        """
    cause = told(source)
    assert (None if cause is None else cause.line) == line


@pytest.mark.parametrize(
    "source",
    [
        SHARDS.replace("np.load(path)", "suppress(path)"),
        SHARDS.replace('sorted(folder.glob("*.npz"))', 'folder.glob("*.npz")'),
    ],
    ids=["what is not read", "what is not sorted"],
)
def test_other_listings_are_left_to_runs(told, source):
    assert told(source) is None


def test_a_uuid_that_another_process_has_drawn_is_one_too(told):
    uuids = tuple(f"{digit * 8}-1111-4111-8111-{digit * 12}.npz" for digit in "ab")
    assert told(written=uuids).line == 2
    assert told(written=uuids[:1] * 2) is None
    digits = tuple(f"part-{digit * 12}4111a{digit * 15}.npz" for digit in "ab")
    assert told(written=digits).line == 2
    assert told(written=("0" * 32, "1" * 32)) is None  # digests of what is in them, as it seems


def test_tensors_of_other_shapes_are_other_operations(told):
    assert told(data=False, kind="inserted").line == 2


def test_other_reasons_come_first(told):
    assert told(differs=False) is None
    assert told(written=("a.npz", "a.npz")) is None
    assert told(SHARDS, entry("numpy", "draw", seeded=0)) is None
    assert told(data=False) is None


TEMPORARY = """
    def export(folder):
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part") as part:
            np.savez(part, images=images)

    class Slices:
        def __init__(self, folder):
            self.files = sorted(folder.glob("*.npz"))

        def __getitem__(self, index):
            return np.load(self.files[index])
    """


@pytest.fixture
def told_of_files(tmp_path, make_run):
    """What is said where tempfile names files; `names`: what each of the two runs wrote."""

    def ask(names, source=TEMPORARY, detail="tempfile.NamedTemporaryFile"):
        file = tmp_path / "slices.py"
        file.write_text(textwrap.dedent(source).lstrip("\n"))
        lines = file.read_text().splitlines()

        def noted(source, event, word, **facts):
            line = next(n for n, text in enumerate(lines, 1) if word in text)
            pair = entry(source, event, line, **facts)
            site = Site(str(file), line, "f", "")
            return replace(pair, row=replace(pair.row, site=site))

        made = noted("python", "draw", "tempfile", detail=detail)
        listed = noted("listing", "list", "glob", other_digest=2)
        runs = tuple(
            make_run([{}], changed={"paths": [f"/w/{name}.npz" for name in wrote], "found": []})
            for wrote in names
        )
        found = divergence(data=True, random=False)
        return order_of_drawn_names(Evidence(found=found, entries=(made, listed)), runs)

    return ask


DRAWN = (("s-0fn_57bp", "s-k2_m91xz"), ("s-05ppxazc", "s-zz81_kd2"))


def test_names_of_temporary_files_that_a_data_set_reads_by_number_are_told(told_of_files):
    cause = told_of_files(DRAWN)
    assert (cause.code, cause.detail, cause.line) == ("entropy", "tempfile", 2)
    assert "slices.py:7 lists files in the order of their names" in cause.evidence


@pytest.mark.parametrize(
    ("names", "change", "detail"),
    [
        ((("s-0fn_57bp",), ("s-05ppxazc",)), ("", ""), "tempfile.mkstemp"),
        ((("slice_00000001", "slice_00000002"),) * 2, ("", ""), "tempfile.mkstemp"),
        (DRAWN, ("self.files[index]", "other[index]"), "tempfile.mkstemp"),
        (DRAWN, ("sorted(", "shuffled("), "tempfile.mkstemp"),
        (DRAWN, ("", ""), "tempfile.TemporaryDirectory.__init__"),
    ],
    ids=["one file", "the same names", "not what is read", "not sorted", "a folder"],
)
def test_other_temporary_files_are_left_to_runs(told_of_files, names, change, detail):
    assert told_of_files(names, TEMPORARY.replace(*change), detail) is None


def test_whatever_makes_a_temporary_file_may_name_it(told_of_files):
    assert told_of_files(DRAWN, detail="tempfile.mkstemp").line == 2
    by_path = TEMPORARY.replace("np.load(self.files[index])", "self.files[index].read_bytes()")
    assert told_of_files(DRAWN, by_path).line == 2
