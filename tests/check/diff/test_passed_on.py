"""What may have passed from process to process through queues and pipes."""

from __future__ import annotations

import numpy as np
import pytest

from samebits.check.diff.passed_on import PassedOn
from samebits.check.trace.schema import PIPE_EVENTS, PIPED_DTYPES

QUEUE, PIPE = 4, 5
ENDS = 6, 7


class Recorded:
    """The messages of one process: (row, event, channel, digest) each."""

    def __init__(self, *rows):
        coded = [(row, PIPE_EVENTS.index(event), *rest) for row, event, *rest in rows]
        self._columns = list(zip(*coded, strict=True)) or [()] * len(PIPED_DTYPES)

    def piped(self):
        named = zip(PIPED_DTYPES.items(), self._columns, strict=True)
        return {name: np.array(values, dtype) for (name, dtype), values in named}


def heard(own, other=None):
    """Messages of a run; the other one has none of them unless it is said."""
    return PassedOn(own, other or {})


def test_what_is_sent_after_an_operation_reaches_who_receives_it():
    passed = heard(
        {
            "0": Recorded((1, "sent", QUEUE, 11), (3, "sent", QUEUE, 12)),
            "0.1": Recorded((2, "received", QUEUE, 11), (9, "received", QUEUE, 12)),
        }
    )
    assert passed.reached("0", 0) == {"0.1": 2}
    assert passed.reached("0", 1) == {"0.1": 9}
    assert passed.reached("0", 3) == {}
    assert passed.reached("0.1", 0) == {}


def test_a_process_passes_on_what_it_was_told_before():
    told = (5, "received", QUEUE, 11)
    for sent, expected in ((4, {"0.2": 5}), (5, {"0.2": 5, "0.1": 7})):
        passed = heard(
            {
                "0.3": Recorded((1, "sent", QUEUE, 11)),
                "0.2": Recorded((sent, "sent", PIPE, 12), told),
                "0.1": Recorded((7, "received", PIPE, 12)),
            }
        )
        assert passed.reached("0.3", 0) == expected


def test_the_two_ends_of_a_socket_are_one_channel():
    ends = Recorded((0, "joined", *ENDS))
    speaker, hearer = Recorded((1, "sent", ENDS[0], 3)), Recorded((2, "received", ENDS[1], 3))
    assert heard({"0": ends, "0.1": speaker, "0.2": hearer}).reached("0.1", 0) == {"0.2": 2}
    assert heard({"0.1": speaker, "0.2": hearer}).reached("0.1", 0) == {}


def test_equal_messages_are_received_in_the_order_in_which_they_were_sent():
    passed = heard(
        {
            "0": Recorded((1, "sent", PIPE, 9), (2, "sent", PIPE, 9)),
            "0.1": Recorded((4, "received", PIPE, 9), (6, "received", PIPE, 9)),
        }
    )
    assert passed.reached("0", 1) == {"0.1": 6}


@pytest.mark.parametrize("other", [(2, "received", QUEUE, 12), (2, "received", PIPE, 11)])
def test_another_message_or_another_channel_tells_nothing(other):
    passed = heard({"0": Recorded((1, "sent", QUEUE, 11)), "0.1": Recorded(other)})
    assert passed.reached("0", 0) == {}


def test_a_message_that_the_other_run_has_too_tells_of_nothing():
    run = {
        "0": Recorded((1, "sent", QUEUE, 11), (2, "sent", QUEUE, 12)),
        "0.1": Recorded((4, "received", QUEUE, 11), (6, "received", QUEUE, 12)),
    }
    for sent, reached in (((11, 12), {}), ((11, 13), {"0.1": 6}), ((9, 12), {"0.1": 4})):
        other = {"0": Recorded(*((1, "sent", 99, digest) for digest in sent))}
        assert heard(run, other).reached("0", 0) == reached


def test_equal_messages_of_several_processes_are_not_told_apart():
    token = (1, "sent", QUEUE, 9)
    taken = (5, "received", QUEUE, 9)
    assert heard({"0": Recorded(token), "0.1": Recorded(token, taken)}).reached("0", 0) == {}
    two = {"0": Recorded(token, token), "0.1": Recorded(taken), "0.2": Recorded(taken)}
    assert heard(two).reached("0", 0) == {}
