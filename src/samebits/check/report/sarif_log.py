"""What every SARIF 2.1.0 log has (OASIS Standard, 27 March 2020), whatever its results are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

from samebits.core.names import storable

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif_log(rules: Sequence[dict[str, Any]], results: Sequence[dict[str, Any]]) -> str:
    """One log with one run, ASCII only, with a final newline.

    Args:
        rules: Descriptions of the rules that results name, as SARIF has them.
        results: What was found; columns count Unicode code points.
    """
    driver = {"name": "samebits", "version": version("samebits"), "rules": list(rules)}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": list(results),
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def file_uri(path: str) -> str:
    """A path as a URI reference, relative where the path is."""
    file = Path(path)
    text = storable(file.as_posix())
    return f"file://{quote(text)}" if file.is_absolute() else quote(text)
