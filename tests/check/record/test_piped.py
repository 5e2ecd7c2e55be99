"""Messages of queues and pipes are noted where they are sent and where they are received."""

from __future__ import annotations

import multiprocessing.connection
import sys

import pytest

from samebits.check.diff.passed_on import PassedOn
from samebits.check.record.piped import PipedMessages
from samebits.check.trace.schema import PIPE_EVENTS

from .test_process_recording import recorded

SENDING = """
    import torch, torch.multiprocessing as mp

    def double(given, back):
        {read}
        doubled = value * torch.full((2,), 2.0)
        {answer}
        doubled + 1

    def main():
        context = mp.get_context("{method}")
        {make}
        process = context.Process(target=double, args=(given, back))
        process.start()
        torch.ones(3)
        torch.ones(4)
        {ask}
        torch.ones(5)
        {hear}
        answer + torch.zeros(2)
        process.join()

    if __name__ == "__main__":
        main()
    """
QUEUES = {
    "make": "given, back = context.Queue(), context.Queue()",
    "read": "value = given.get()",
    "answer": "back.put(doubled.tolist())",
    "ask": "given.put(3.0)",
    "hear": "answer = torch.tensor(back.get())",
}
SIMPLE_QUEUES = {**QUEUES, "make": "given, back = context.SimpleQueue(), context.SimpleQueue()"}
JOINABLE_QUEUES = {
    **QUEUES,
    "make": "given, back = context.JoinableQueue(), context.JoinableQueue()",
    "ask": "given.put(3.0); torch.ones(9)",
}
PIPES = {
    "make": "(given, ask), (hear, back) = context.Pipe(False), context.Pipe(False)",
    "read": "value = given.recv()",
    "answer": "back.send(doubled.tolist())",
    "ask": "ask.send(3.0)",
    "hear": "answer = torch.tensor(hear.recv())",
}
BOTH_WAYS = {
    "make": "mine, given = context.Pipe(); back = given",
    "read": "value = given.recv()",
    "answer": "back.send_bytes(b'4.5')",
    "ask": "mine.send(3.0)",
    "hear": "answer = torch.tensor(float(mine.recv_bytes()))",
}
WAYS = {
    "queues": QUEUES,
    "joinable": JOINABLE_QUEUES,
    "simple": SIMPLE_QUEUES,
    "pipes": PIPES,
    "both ways": BOTH_WAYS,
}


def passed_on(trace):
    (own,) = recorded(trace)
    (name,) = (process["name"] for process in trace.manifest.processes if process["recorded"])
    return PassedOn({"0": trace, name: own}), name


def events(trace):
    return {PIPE_EVENTS[event] for event in trace.piped()["event"].tolist()}


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.parametrize("way", WAYS)
def test_a_message_is_received_where_it_was_sent_to(record, way, method):
    trace = record(SENDING.format(method=method, **WAYS[way]))
    passed, name = passed_on(trace)
    # Two operations before the question, three or four before the answer is heard.
    assert passed.reached("0", 1) == {name: 0}
    assert passed.reached("0", 2) == {}
    assert passed.reached(name, 1) == {"0": 4 if way == "joinable" else 3}
    assert passed.reached(name, 2) == {}


def test_a_forked_process_has_not_sent_what_its_parent_has(record):
    trace = record(SENDING.format(method="fork", **QUEUES))
    (own,) = recorded(trace)
    assert own.piped()["event"].tolist().count(PIPE_EVENTS.index("sent")) == 1


def test_what_a_thread_sends_stands_among_the_messages_of_the_thread(record):
    trace = record(
        """
        import multiprocessing, threading, torch

        def work(end):
            torch.ones(2)
            end.send(1)

        left, right = multiprocessing.Pipe()
        thread = threading.Thread(target=work, args=(right,))
        thread.start()
        thread.join()
        torch.full((3,), float(left.recv()))
        """
    )
    thread = trace.process("0+1")
    assert (events(trace), events(thread)) == ({"joined", "received"}, {"sent"})


def test_a_script_that_sends_nothing_has_no_table(record):
    trace = record("import torch; torch.ones(2)")
    assert not (trace.folder / "piped.arrow").exists()
    assert not len(trace.piped()["row"])


def test_no_more_is_kept_than_fits(monkeypatch):
    monkeypatch.setattr("samebits.check.record.piped._MOST", 3)
    kept, later = PipedMessages(lambda: 8), PipedMessages()
    for digest in range(5):
        kept.note(0, 1, digest)
    later.note(0, 1, 9)
    kept.move_to(later)
    assert later.take()["digest"].tolist() == [0, 1, 9]
    assert not kept.is_filled


@pytest.mark.skipif(sys.platform != "linux", reason="Python's connections differ elsewhere")
def test_python_has_the_methods_that_all_messages_go_through():
    connection = multiprocessing.connection.Connection
    assert callable(connection._send_bytes)
    assert callable(connection._recv_bytes)
