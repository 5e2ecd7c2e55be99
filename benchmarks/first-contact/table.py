"""The table of a round of first contact: what was right, of all programs and one by one.

    python benchmarks/first-contact/table.py ROUND

Reads rounds/ROUND.json, which `measure.py` wrote, and rounds/ROUND.judged.json: an object with an
entry a program, `{"verdict": true, "cause": true, "line": true, "fix": false, "why": "…"}`, of what
was judged; an aspect that does not apply is left out. Writes rounds/ROUND.md.
"""

from __future__ import annotations

import json
import statistics
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_ASPECTS = ("verdict", "cause", "line", "fix")
_MARKS = {True: "yes", False: "**no**", None: ""}


def main() -> None:
    name = sys.argv[1]
    measured = json.loads((HERE / "rounds" / f"{name}.json").read_text())
    judged = json.loads((HERE / "rounds" / f"{name}.judged.json").read_text())
    programs = measured["programs"]
    lines = [
        f"# First contact, {name}",
        "",
        f"{measured['date']}, samebits {measured['samebits']}, torch {measured['torch']}, "
        f"{measured['processors']} processors. Written by `table.py`; not edited afterwards.",
        "",
        "| asked | measured |",
        "|---|---|",
        *(f"| {asked} | {came_to} |" for asked, came_to in _summary(programs, judged)),
        "",
        "| program | plain runs | verdict | cause | confidence | verdict | cause | line | fix "
        "| plain runs of CPU time | why |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
        *(_row(program, judged.get(program["name"], {})) for program in programs),
        "",
    ]
    (HERE / "rounds" / f"{name}.md").write_text("\n".join(lines))


def _summary(programs: list[dict[str, Any]], judged: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [("programs", str(len(programs)))]
    for aspect in _ASPECTS:
        asked = [j[aspect] for j in judged.values() if aspect in j]
        given = [answer for answer in asked if answer is not None]
        if given:
            tried = f"{sum(given)} of {len(given)}, {sum(given) / len(given):.1%}"
            left = f"; {len(asked) - len(given)} not tried" if len(given) < len(asked) else ""
            rows.append((f"{aspect} right", f"{tried}{left}"))
    false_proofs = [
        program["name"]
        for program in programs
        if any(cause["confidence"] == "proved" for cause in program["check"]["causes"][:1])
        and judged.get(program["name"], {}).get("cause") is False
    ]
    rows.append(("*proved* causes that are not the cause", str(len(false_proofs))))
    same = [_ratios(p) for p in programs if p["check"]["verdict"] in ("same", "incomplete")]
    if same:
        worst = max(ratio["over"] for ratio in same)
        median = statistics.median(ratio["wall"] for ratio in same)
        rows.append(("check of a sound program, plain runs", f"median {median:.2f}"))
        rows.append(("worst of those beyond 2.3 plain runs, seconds", f"{worst:.1f}"))
    different = [p for p in programs if p["check"]["verdict"] == "different"]
    words = [
        p["check"]["first_word"] - 2.3 * p["plain"]["seconds"]
        for p in different
        if p["check"]["first_word"] is not None
    ]
    if words:
        rows.append(("first word beyond 2.3 plain runs, worst, seconds", f"{max(words):.1f}"))
    further = [p["check"]["cpu"] / p["plain"]["cpu"] - 2 for p in different if p["plain"]["cpu"]]
    if further:
        rows.append(
            (
                "CPU time beyond the two runs, in plain runs",
                f"median {statistics.median(further):.1f}, worst {max(further):.1f}",
            )
        )
    return rows


def _ratios(program: dict[str, Any]) -> dict[str, float]:
    plain, check = program["plain"], program["check"]
    return {
        "wall": check["seconds"] / plain["seconds"],
        "over": check["seconds"] - 2.3 * plain["seconds"],
    }


def _row(program: dict[str, Any], judged: dict[str, Any]) -> str:
    check, plain = program["check"], program["plain"]
    cause = check["causes"][0] if check["causes"] else {}
    cells = [
        program["name"],
        "differ" if plain["differing"] else "agree",
        check["verdict"],
        f"{cause.get('code', '')} {cause.get('file') or ''}:{cause.get('line')}" if cause else "",
        cause.get("confidence", ""),
        *(_MARKS[judged.get(aspect)] for aspect in _ASPECTS),
        f"{check['cpu'] / plain['cpu']:.1f}",
        str(judged.get("why", "")).replace("|", "\\|"),
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
