"""When the order of a listing or a set reaches a result, and when not."""

from __future__ import annotations

import pytest

from samebits.lint.discovery import find_files
from samebits.lint.runner import lint_files


@pytest.mark.parametrize(
    "text",
    [
        "x = [f for f in os.listdir('.')]\nprint(x[0])",
        "first = os.listdir('.')[0]",
        "for n, f in enumerate(os.listdir('.')):\n    print(n, f)",
        "def f():\n    return [p for p in os.listdir('.')]",
        "def f():\n    for p in os.listdir('.'):\n        yield p",
        "def f():\n    yield from os.listdir('.')",
        "class C:\n    def __init__(self):\n        self.files = os.listdir('.')",
        "names = os.listdir('.')\nrandom_name = names[0]",
        "names = os.listdir('.')\nx = []\nfor n in names:\n    x += [n]",
        "text = ','.join(os.listdir('.'))",
        "text = [*os.listdir('.')]\nprint(text[-1])",
        "ids = {f: i for i, f in enumerate(os.listdir('.'))}",
        "ids = {}\nfor f in os.listdir('.'):\n    ids[f] = len(ids)",
        "for f in os.listdir('.'):\n    if f:\n        d.x['a'][f] = len(d.x['a'])",
        "ids, n = {}, 0\nfor f in os.listdir('.'):\n    ids[f] = n\n    n += 1",
        "for f in os.listdir('.') if ask() else []:\n    print(f)\n    ids[f] = len(ids)",
    ],
)
def test_order_that_reaches_a_result(codes, text):
    assert codes(f"import os\n{text}\n") == ["SB202"]


@pytest.mark.parametrize(
    "text",
    [
        "x = sorted(f for f in os.listdir('.') if f)",
        "x = sorted([f for f in os.listdir('.')])",
        "x = {f for f in os.listdir('.')}",
        "x = {f: 1 for f in os.listdir('.')}",
        "x = any(f for f in os.listdir('.'))",
        "x = len([f for f in os.listdir('.')])",
        "if os.listdir('.'):\n    pass",
        "names = os.listdir('.')\nnames.sort()\nprint(names[0])",
        "names = os.listdir('.')\nnames = sorted(names)\nprint(names[0])",
        "names = os.listdir('.')\nassert 'x' in names",
        "for f in os.listdir('.'):\n    os.remove(f)",
        "count = 0\nfor f in os.listdir('.'):\n    count += 1",
        "sizes = {}\nfor f in os.listdir('.'):\n    sizes[f] = len(f)",
        "for f in os.listdir('.'):\n    a()[f] = len(b())",
        "d, n = {}, 0\nfor f in os.listdir('.'):\n    d['n'] = n\n    n += 1",
        "class C:\n    def f(self):\n        self.x = os.listdir('.')\n        self.x.sort()",
    ],
)
def test_order_that_reaches_nothing(codes, text):
    assert codes(f"import os\n{text}\n") == []


@pytest.mark.parametrize("text", ["x = [set(c) for c in 'ab']\nprint(x[0])", "x = set('ab')"])
def test_a_set_that_stays_a_set_is_fine(codes, text):
    assert codes(f"{text}\n") == []


@pytest.mark.parametrize("call", ["Path('.').glob('*')", "root.rglob('*')", "root.iterdir()"])
def test_methods_of_paths(codes, call):
    text = f"from pathlib import Path\nroot = Path('.')\nfiles = list({call})\nprint(files[0])\n"
    assert codes(text) == ["SB202"]


def test_another_objects_glob_is_its_own_business(codes):
    assert codes("import mine\nfiles = list(mine.thing().glob('*'))\nprint(files[0])\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "words = list(set(open('x')))\nprint(words[0])",
        "def f(a):\n    return [x for x in {*a}]",
        "s = set('abc')\nfor x in s:\n    print([].append(x))",
        "def f(s):\n    return ' '.join({w for w in s})",
    ],
)
def test_the_order_of_sets(codes, text):
    assert codes(f"{text}\n") == ["SB201"]


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("pool.apply_async(f, (1,), callback=rows.append)", True),
        ("pool.apply_async(f, (1,), {}, rows.append)", True),
        ("pool.map_async(f, [1], callback=lambda r: rows.extend(r))", True),
        ("pool.submit(f).add_done_callback(lambda d: rows.append(d.result()))", True),
        ("pool.apply_async(f, (1,), callback=print)", False),
        ("pool.apply_async(f, (1,))", False),
        ("pool.submit(f).add_done_callback(lambda d: by_task.update(d.result()))", False),
    ],
)
def test_a_callback_that_collects_keeps_the_order_of_completion(tmp_path, call, found):
    path = tmp_path / "t.py"
    path.write_text(f"rows, by_task = [], {{}}\n{call}\n")
    codes = [f.code for f in lint_files(find_files([path]), jobs=1).findings]
    assert codes == (["SB203"] if found else [])
