"""Fixes: the user's own line, put right."""

from __future__ import annotations

import ast

import pytest

from samebits.compare.attribution.culprit import Culprit
from samebits.compare.attribution.fixes import fix
from samebits.compare.attribution.rewriting import branch_at


@pytest.fixture
def fixed(tmp_path):
    def make(code, line, *, detail="", holds=()):
        script = tmp_path / "train.py"
        script.write_text(f"def main():\n    {line}\n", encoding="utf-8")
        culprit = Culprit(file=str(script), line=2, detail=detail)
        return fix(code, culprit, frozenset(holds))

    return make


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
        ("unseeded-rng", "g = torch.Generator()", "g = torch.Generator().manual_seed(0)"),
        ("unseeded-rng", "self.g.seed()", "self.g.manual_seed(0)"),
        ("unseeded-rng", "np.random.seed()", "np.random.seed(0)"),
        ("unseeded-rng", "f(Random(), 'ä', Random())", "f(Random(0), 'ä', Random())"),
        ("worker-rng", "random.seed()", "random.seed(torch.initial_seed() % 2**32)"),
        ("worker-rng", "torch.seed()", "torch.manual_seed(torch.initial_seed())"),
        ("hash-order", "x = list(set(names))", "x = sorted(set(names))"),
        ("hash-order", 'x = ", ".join(names)', 'x = ", ".join(sorted(names))'),
        ("hash-order", "x = [f(n) for n in names]", "x = [f(n) for n in sorted(names)]"),
        ("hash-order", "x = ['a', *names]", "x = ['a', *sorted(names)]"),
        ("hash-order", "x = hash(word) % 7", "x = zlib.crc32(word.encode()) % 7"),
        ("file-order", "x = os.listdir(path)", "x = sorted(os.listdir(path))"),
        (
            "file-order",
            "x = list(os.scandir('.'))",
            "x = list(sorted(os.scandir('.'), key=lambda entry: entry.name))",
        ),
        ("clock", "torch.manual_seed(int(time.time()))", "torch.manual_seed(0)"),
        ("clock", "args.seed = time.time_ns()", "args.seed = 0"),
        ("entropy", "x = secrets.choice(y)", "x = random.choice(y)  # after random.seed(0)"),
        ("uninitialized-memory", "x = torch.empty(3, 4)", "x = torch.zeros(3, 4)"),
        ("uninitialized-memory", "x = y.new_empty(3,  4)", "x = y.new_zeros(3,  4)"),
        ("thread-timing", "x = list(p.imap_unordered(f, y))", "x = list(p.imap(f, y))"),
    ],
)
def test_the_line_is_put_right(fixed, code, line, written):
    assert fixed(code, line) == written
    ast.parse(written)


def test_of_a_loop_the_head_is_given(fixed):
    loop = "for name in names:  # all\n        print(name)\n    else:\n        pass"
    assert fixed("hash-order", loop) == "for name in sorted(names):"


def test_a_global_generator_is_seeded_at_the_start(fixed):
    written = fixed("unseeded-rng", "random.shuffle(rows)", detail="python")
    assert written.startswith("random.seed(0)  #")


def test_a_generator_of_ones_own_is_seeded_where_it_is_made(fixed):
    written = fixed("unseeded-rng", "x = rng.normal(size=3)", detail="numpy-generator")
    assert "where it is made: np.random.default_rng(0)" in written
    assert "seed_everything" not in written


@pytest.mark.parametrize(
    ("holds", "part"),
    [
        (("deterministic-algorithms",), "torch.use_deterministic_algorithms(True)"),
        (("threads",), "torch.set_num_threads(1)"),
        ((), "samebits explain aten.put_"),
    ],
)
def test_an_operation_is_settled_by_what_settled_it(fixed, holds, part):
    assert part in fixed("nondeterministic-op", "x.put_(a, b)", detail="aten.put_", holds=holds)


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
