"""What the notes of two runs show by themselves, so that the search makes no further run for it."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution.address_in_text import seeded_by_a_hash
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.drawn_in_turns import draws_in_other_turns
from samebits.check.trials.attribution.drawn_on_a_thread import (
    generator_of_a_thread_and_others,
)
from samebits.check.trials.attribution.left_behind import (
    found_where_it_is_made,
    read_where_it_diverges,
)
from samebits.check.trials.attribution.loader_workers import (
    moved_between_workers,
    number_read_by_workers,
)
from samebits.check.trials.attribution.numbers_of_tasks import numbers_of_who_took_the_task
from samebits.check.trials.attribution.received import cause_of_received
from samebits.check.trials.attribution.shared_by_coroutines import generator_of_all_coroutines
from samebits.check.trials.attribution.shared_by_tasks import generator_that_tasks_share
from samebits.check.trials.attribution.shared_by_threads import generator_of_all_threads
from samebits.check.trials.attribution.shared_files import file_that_workers_share
from samebits.check.trials.attribution.shared_tensors import tensor_changed_under_workers
from samebits.check.trials.attribution.short_reads import read_in_parts
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.sorted_blocks import order_of_blocks
from samebits.check.trials.attribution.sorted_by_drawn_names import order_of_drawn_names


def told_by_notes(case: Case, situation: Situation, evidence: Evidence) -> Cause | None:
    """The first cause of which both runs' notes tell enough.

    Args:
        case: The runs that may be made, for what has to be read once more.
        situation: Where the runs diverge.
        evidence: What both have noted up to there.
    """
    return (
        cause_of_received(case, situation, evidence)
        or number_read_by_workers(evidence)
        or moved_between_workers(evidence)
        or tensor_changed_under_workers(evidence, situation.traces[0])
        or read_where_it_diverges(situation, evidence)
        or found_where_it_is_made(situation)
        or file_that_workers_share(situation, evidence)
        or read_in_parts(situation, evidence)
        or generator_that_tasks_share(situation, evidence)
        or numbers_of_who_took_the_task(situation, evidence)
        or generator_of_all_threads(situation, evidence)
        or draws_in_other_turns(situation, evidence)
        or generator_of_a_thread_and_others(evidence)
        or generator_of_all_coroutines(evidence, here=True)
        or order_of_drawn_names(evidence, situation.traces)
        or order_of_blocks(evidence)
        or seeded_by_a_hash(evidence)
    )
