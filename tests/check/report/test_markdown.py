"""A verdict as Markdown: what a pull request shows, read back with a parser."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from markdown_it import MarkdownIt
from tests.check.report.test_hostile import VERDICTS

from samebits.check.report.model import build_report
from samebits.check.report.verdicts import VerdictFormat, show
from samebits.check.report.verdicts.markdown import render

EXPECTED = """\
### ❌ samebits: DIFFERENT

The two runs gave different bits.

**First divergence:** `aten.uniform_`: step 0, before training, module fc1, float32\\[4, 8\\]

- a random operation drew different numbers
- largest difference 0.1, 12,345 ULP

At `train.py:5 in build`:

```text
  4 | layers = [
> 5 |     torch.nn.Linear(8, 4),
  6 | ]
```

**Cause:** unseeded-rng (torch-cpu), *proved*

The runs agree when torch's generator is seeded.

At `train.py:5`:

**Fix:**

```python
torch.manual_seed(0)
```

**Needs:** seeds + hash-seed

<details><summary>Runs and notes</summary>

| run | steps | operations | seconds | exit |
| --- | --- | --- | --- | --- |
| 1 | 30 | 21,540 | 4.1 | 0 |
| 2 | 30 | 21,540 | 4.1 | 0 |

- the printed output differs too

</details>
"""
OURS = frozenset({"<details><summary>Runs and notes</summary>\n", "</details>\n", "</details>"})
ALLOWED = frozenset(
    {
        *("inline", "text", "softbreak", "code_inline", "fence", "html_block"),
        *(f"{name}_{end}" for name in ("paragraph", "heading") for end in ("open", "close")),
        *(f"{name}_{end}" for name in ("strong", "em") for end in ("open", "close")),
        *(f"{name}_{end}" for name in ("bullet_list", "list_item") for end in ("open", "close")),
        *(
            f"{name}_{end}"
            for name in ("table", "thead", "tbody", "tr", "th", "td")
            for end in ("open", "close")
        ),
    }
)


@pytest.fixture
def different(script, make_verdict):
    return make_verdict(
        minimal_controls=("seeds", "hash-seed"), notes=("the printed output differs too",)
    )


def tokens(text):
    """What a parser of GitHub's dialect finds, inner parts included."""
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    for token in parser.parse(text):
        yield token
        yield from token.children or ()


def test_a_whole_verdict(different):
    assert render(build_report(different)) == EXPECTED


def test_it_is_one_of_the_formats(different):
    stream = io.StringIO()
    show(different, VerdictFormat.MARKDOWN, stream)
    assert stream.getvalue() == EXPECTED


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script> & <!-- -->",
        "[here](http://example.org) ![x](y) <http://a.b>",
        "**bold** _it_ `code` ~~gone~~ | cell | $x$",
        "# title",
        "1. first",
        "- item",
        "===",
        "```",
        "\\",
    ],
)
def test_what_was_printed_is_text(different, text):
    changed = replace(different, notes=(text,))
    *_, inline = (one for one in tokens(render(build_report(changed))) if one.type == "inline")
    assert [child.type for child in inline.children] == ["text"]
    assert inline.children[0].content == " ".join(text.split())


def test_nobody_is_mentioned(different):
    changed = replace(different, notes=("ask @someone",))
    found = tokens(render(build_report(changed)))
    assert all("@" not in token.content for token in found if token.type == "text")


@settings(max_examples=150, deadline=None)
@given(VERDICTS)
def test_nothing_hostile_becomes_markup(verdict):
    for token in tokens(render(build_report(verdict))):
        assert token.type in ALLOWED, token
        assert token.type != "html_block" or token.content in OURS
