"""SB602: a model or a dataset that may change where it is kept."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from samebits.core.source.expressions import argument, has_unpacking, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_FUNCTIONS = frozenset(
    {
        "datasets.load_dataset",
        "huggingface_hub.hf_hub_download",
        "huggingface_hub.snapshot_download",
        "transformers.pipeline",
        "torch.hub.load",
    }
)
_REPOSITORY = re.compile(r"[\w.-]+(/[\w.-]+)?")
_FILE_FORMATS = ("csv", "json", "parquet", "text", "imagefolder", "audiofolder", "arrow", "pandas")
_MOVING = ("main", "master", "HEAD")


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if name == "torch.hub.load":
        yield from _hub(node)
        return
    if name not in _FUNCTIONS and not _is_from_pretrained(node):
        return
    source = _source(node, name)
    if source is None or has_unpacking(node):
        return
    revision = argument(node, "revision")
    if revision is not None and not is_constant(revision, None, *_MOVING):
        return
    called = name.rpartition(".")[2] or "from_pretrained"
    yield Objection(
        node=node,
        message=f"{called} without a pinned revision: {source!r} may be another one tomorrow",
        remedy="give it revision=COMMIT, the hash of the commit that you used",
    )


def _is_from_pretrained(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "from_pretrained"


def _source(node: ast.Call, name: str) -> str | None:
    """The repository that a call names plainly; None for folders, variables and file formats."""
    keyword = {"transformers.pipeline": "model"}.get(name)
    value = argument(node, keyword or "repo_id", None if keyword else 0)
    for other in ("pretrained_model_name_or_path", "path"):
        value = value or argument(node, other)
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return None
    text = value.value
    if not _REPOSITORY.fullmatch(text) or text.startswith(".") or text in _FILE_FORMATS:
        return None
    return text


def _hub(node: ast.Call) -> Iterator[Objection]:
    repository = argument(node, "repo_or_dir", 0)
    if not isinstance(repository, ast.Constant) or not isinstance(repository.value, str):
        return
    if is_constant(argument(node, "source"), "local"):
        return
    reference = repository.value.partition(":")[2]
    if reference and reference not in _MOVING:
        return
    yield Objection(
        node=node,
        message=f"hub.load without a pinned revision: {repository.value!r} may be another tomorrow",
        remedy="name a tag or a commit after a colon: OWNER/REPO:COMMIT",
    )


RULE = Rule(
    code="SB602",
    name="unpinned-revision",
    summary="A model or dataset is downloaded without a pinned revision",
    explanation="""
`from_pretrained("owner/name")`, `load_dataset("name")` and `torch.hub.load("owner/repo", ...)` take
whatever is current on the day. Owners correct weights, tokenizers and data. With revision=COMMIT
the same bytes come every time; a branch such as "main" pins nothing.
""",
    bad="""\
from transformers import AutoModel

model = ⟦AutoModel.from_pretrained("bert-base-uncased")⟧
""",
    good="""\
from transformers import AutoModel

REVISION = "86b5e0934494bd15c9632b12f734a8a67f723594"
model = AutoModel.from_pretrained("bert-base-uncased", revision=REVISION)
""",
    check=check,
    calls=_FUNCTIONS,
    methods=frozenset({"from_pretrained"}),
)
