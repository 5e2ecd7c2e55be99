"""Gathers from two run folders what speaks for one cause or another."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.changed_files import changed_by_both, changed_paths, read_again
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.ledger_pairing import is_of_an_import, pair_ledgers
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.process_groups import process_groups
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.check.trace.run_parts import own_rank
from samebits.check.trace.schema import Flag
from samebits.check.trials.attribution.further_unseeded import drawn_unseeded
from samebits.check.trials.attribution.left_behind import left_besides, left_files
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.source_lines import sources_of
from samebits.core.source.archives import lines_that_pack
from samebits.core.source.digests import lines_that_digest_names
from samebits.core.source.files import read_source
from samebits.core.source.ordered_fields import ordered_fields
from samebits.core.source.sql import asks_for_the_time_in_sql, draws_in_sql
from samebits.errors import TraceError

_ALLOCATING = re.compile(
    rb"\b(?:np|numpy)\s*\.\s*(?:empty|empty_like|ndarray)\s*\("
    rb"|\b(?:np|numpy)\s*\.\s*\w+\s*\([^()]*(?:\([^()]*\)[^()]*)*\bwhere\s*="
    rb"|\bfrom\s+numpy\s+import\b[^\n]*\b(?:empty|ndarray)|\b(?:malloc|create_string_buffer)\s*\("
)
_USAGE = re.compile(
    rb"\b(?:getloadavg|getrusage|statvfs|disk_usage|get_traced_memory|virtual_memory|swap_memory"
    rb"|memory_info|memory_percent|cpu_percent|SC_AVPHYS_PAGES)\b"
    rb"|/proc/(?:meminfo|loadavg|stat|uptime|vmstat|diskstats|pressure|self)"
)
_SQL_RANDOM = re.compile(
    rb"\b(?:select|order\s+by|where|values|limit)\b[^\n]*?(?<![.\w])random(?:blob)?\s*\(",
    re.IGNORECASE,
)
_BETWEEN = ("hand-over", "readiness", "shared-file", "shared-generator")
_MILLISECONDS = 1000
_SQLITE = re.compile(rb"\bsqlite")
_ARROW = re.compile(rb"\bpyarrow\b")
_JOINS = re.compile(rb"(?<!path)\.(?:group_by\s*\(|join(?:_asof)?\s*\(\s*[\w.]+\s*,)")


def gather(situation: Situation) -> Evidence:
    """What two runs have noted up to the place where they diverge.

    Raises:
        TraceError: A run folder is damaged.
    """
    closer = situation.closer
    flags = Flag(0)
    for trace, row in zip(situation.closer_own_traces, closer.rows, strict=True):
        if row is not None and closer.kind in ("output", "inserted"):
            flags |= trace.row(row).flags
    a, b = situation.traces
    own_a, own_b = situation.own_traces
    variables = a.manifest.environment.get("variables", {})
    rows = _ledger(own_a)
    entries = pair_ledgers(situation.found, rows, _ledger(own_b), correspondence(own_a, own_b))
    longest = max(a.manifest.seconds, b.manifest.seconds)
    entries = tuple(entry for entry in entries if not _is_alarm_that_never_came(entry.row, longest))
    return Evidence(
        found=closer,
        flags=flags,
        entries=entries,
        without_seed=[e for e in map(_alone, rows) if e.unseeded and not is_of_an_import(e.row)],
        drawn_unseeded=drawn_unseeded(a),
        hash_seed_fixed=str(variables.get("PYTHONHASHSEED", "random")) != "random",
        rewritten=changed_by_both(a, b),
        left=left_files(a, b, entries),
        left_besides=left_besides(a, b),
        found_again=_found_again(a, b),
        allocates=_names(a, _ALLOCATING),
        asks_usage=asks_usage(a),
        digested=[(f, line) for f in sources_of(a) for line in lines_that_digest_names(f)],
        packed=[(f, line) for f in sources_of(a) for line in lines_that_pack(f)],
        sources=sources_of(a),
        ordered=[field for file in sources_of(a) for field in ordered_fields(file)],
        draws_in_sql=_names(a, _SQLITE) and _draws_in_sql(a),
        asks_for_the_time_in_sql=_names(a, _SQLITE)
        and any(map(asks_for_the_time_in_sql, sources_of(a))),
        joins_by_arrow=_names(a, _ARROW) and _names(a, _JOINS),
        starts=_starts(situation),
        between=_between(situation, entries),
        shares_work=_shares_work(situation),
        seeded_on_other_ranks=_seeded_on_other_ranks(situation),
    )


def _is_alarm_that_never_came(row: LedgerRow, seconds: float) -> bool:
    """Whether a signal was asked for after a time that is longer than the run took."""
    if (row.source, row.event) != ("clock", "start"):
        return False
    return row.amount / row.calls >= seconds * _MILLISECONDS


def _starts(situation: Situation) -> list[LedgerPair]:
    """What the script's own process starts, where another one diverges."""
    if not situation.found.processes:
        return []
    ledger = _ledger(situation.traces[0])
    started = [_alone(row) for row in ledger if row.source in ("thread", "process")]
    return [*started, *(_alone(row) for row in ledger if row.source == "timer")]


def _between(situation: Situation, entries: Sequence[LedgerPair]) -> list[LedgerPair]:
    """Lines that ask whether others are ready, and lines that hand weights over to them."""
    own = [entry for entry in entries if entry.row.source in _BETWEEN]
    if not situation.found.processes:
        return own
    a, b = situation.traces
    whole = replace(situation.found, kind="exit")
    pairs = pair_ledgers(whole, _ledger(a), _ledger(b), correspondence(a, b))
    return [*own, *(pair for pair in pairs if pair.row.source in _BETWEEN)]


def _shares_work(situation: Situation) -> bool:
    """Whether the process that diverges is one of several of a line, and no rank."""
    if not situation.found.processes:
        return False
    for group in process_groups(situation.traces[0], lines=True).values():
        names = [process["name"] for process in group]
        if situation.found.processes[0] in names:
            return len(names) > 1 and not any(process["rank"] for process in group)
    return False


def _seeded_on_other_ranks(situation: Situation) -> frozenset[str]:
    """Generators that ranks other than the diverging one have drawn from, all of them seeded."""
    trace = situation.traces[0]
    mine = situation.found.processes[0] if situation.found.processes else ""
    ranks = {process["name"]: process["rank"] for process in trace.manifest.processes}
    if not (ranks.get(mine) if mine else own_rank(trace)):
        return frozenset()
    others = [trace.process(name) for name, rank in ranks.items() if rank and name != mine]
    if mine and own_rank(trace) is not None:
        others.append(trace)
    return frozenset(
        source for own in others if own is not None for source in _seeded_sources(_own_rows(own))
    )


def _own_rows(trace: Trace) -> list[LedgerRow]:
    """What a process has noted itself, without its children and imports."""
    return [row for row in _ledger(trace) if row.process == 0 and not is_of_an_import(row)]


def _seeded_sources(rows: list[LedgerRow]) -> set[str]:
    used = [row for row in rows if row.event in ("draw", "construct")]
    # torch.Generator() begins with a constant; its seed() then takes a number from the system.
    seeds = [row for row in rows if row.event == "seed"]
    unseeded = {row.source for row in (*used, *seeds) if row.seeded == 0}
    return {row.source for row in used if row.seeded == 1} - unseeded


def _found_again(a: Trace, b: Trace) -> bool | None:
    """Whether run B read what run A changed; None where a process that keeps no ledger may have."""
    changed = changed_paths(a)
    if not read_again(b).isdisjoint(changed):
        return True
    ledgers = [[row for row in _ledger(b) if row.process]]  # of those that are watched alone, too
    ledgers += [own.ledger() for p in b.manifest.processes if (own := b.process(p["name"]))]
    if any(r.source == "file" and r.detail in changed for rows in ledgers for r in rows):
        return True
    # What a fork reads is in the ledger of the process that it was forked from.
    unknown = any(not _keeps_a_ledger(p) and p["kind"] != "fork" for p in b.manifest.processes)
    return None if unknown else False


def _keeps_a_ledger(process: Mapping[str, Any]) -> bool:
    """Whether all that a process has read is known: of one that was killed a part may be lost."""
    return bool(process["recorded"] or (process["watched"] and process["exit"]["code"] == 0))


def _alone(row: LedgerRow) -> LedgerPair:
    return LedgerPair(row=row)


def _ledger(trace: Trace) -> list[LedgerRow]:
    try:
        return list(trace.ledger())
    except TraceError:
        return []  # the rows decide what differs; without a ledger there is less to go by


def reads_clock(trace: Trace) -> bool:
    """Whether the script itself asks what time it is."""
    return any(
        row.source == "clock" and not is_of_an_import(row) and not LedgerPair(row=row).internal
        for row in _ledger(trace)
    )


def asks_usage(trace: Trace) -> bool:
    """Whether a run's script names a function that says how much of the machine is in use."""
    return _names(trace, _USAGE)


def _names(trace: Trace, functions: re.Pattern[bytes]) -> bool:
    """Whether a source file of the script, as it is now, names one of these functions."""
    texts = map(read_source, sources_of(trace))
    return any(functions.search(text) for text in texts if text is not None)


def _draws_in_sql(trace: Trace) -> bool:
    return _names(trace, _SQL_RANDOM) or any(map(draws_in_sql, sources_of(trace)))
