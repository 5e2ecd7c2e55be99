"""Messages of queues and pipes are noted where they are sent and where they are received."""

from __future__ import annotations

import multiprocessing.connection
import sys

import pytest

from samebits.check.diff.passed_on import PassedOn
from samebits.check.record.piped import PipedMessages
from samebits.check.trace.reader import Trace
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
    return PassedOn({"0": trace, name: own}, {}), name


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


def test_messages_of_a_parent_are_not_those_of_the_process_that_it_forks(record):
    trace = record(
        """
        import os, multiprocessing, torch

        mine, other = multiprocessing.Pipe()
        for number in range(3):
            mine.send(number)
        if os.fork() == 0:
            other.recv()
            torch.ones(2)
            raise SystemExit
        os.wait()
        """
    )
    (own,) = recorded(trace)
    assert events(own) == {"received"}
    assert own.piped()["row"].tolist() == [0]


def test_a_loaders_workers_note_nothing(record):
    trace = record(
        """
        import torch
        from torch.utils.data import DataLoader, TensorDataset

        for batch in DataLoader(TensorDataset(torch.arange(8.0)), 2, num_workers=1):
            batch[0] + 1
        """
    )
    assert recorded(trace) == []
    assert events(trace) == {"sent", "received"}


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


def test_once_there_are_too_many_none_is_kept_any_more(monkeypatch):
    monkeypatch.setattr("samebits.check.record.piped._MOST", 3)
    kept, later = PipedMessages(lambda: 8), PipedMessages()
    for digest in range(5):
        kept.note(0, 1, digest)
    assert kept.take()["digest"].tolist() == [0, 1, 2]
    kept.note(0, 1, 6)
    later.note(0, 1, 9)
    kept.go_on_as(later)
    later.note(0, 1, 10)
    assert later.take()["digest"].tolist() == [9]


def test_what_is_noted_after_all_was_handed_on_is_not_lost():
    kept, later = PipedMessages(lambda: 8), PipedMessages(lambda: 2)
    kept.note(0, 1, 5)
    kept.go_on_as(later)
    kept.note(1, 1, 6, row=4)
    later.note(1, 1, 7)
    taken = later.take()
    assert (taken["digest"].tolist(), taken["row"].tolist()) == ([5, 6, 7], [8, 4, 2])


QUEUE_IN_USE = """
    import multiprocessing, queue, torch

    def main():
        small = multiprocessing.Queue(1)
        small.put(1)
        try:
            small.put(2, timeout=0.01)
        except queue.Full:
            print("full")
        small.get()
        small.put(lambda: 1)
        small.put(3, timeout=60)
        print(small.get())
        {torchs}

    if __name__ == "__main__":
        main()
    """
TORCHS = """from torch.multiprocessing.queue import Queue
        own = Queue(ctx=multiprocessing.get_context("spawn"))
        own.put(1)
        own.get()
        end = own._writer
        print(sorted(key for key in vars(end) if "samebits" in key))"""


def test_a_queue_works_as_ever(scripts):
    plain, recorded, result = scripts.both(QUEUE_IN_USE.format(torchs=TORCHS))
    assert plain.code == recorded.code == 0
    assert plain.stdout == recorded.stdout == b"full\n3\n[]\n"
    rows = Trace.open(result.folder).piped()
    sent = rows["event"] == PIPE_EVENTS.index("sent")
    assert sent.sum() == 3  # a function within another one cannot be pickled


@pytest.mark.skipif(sys.platform != "linux", reason="Python's connections differ elsewhere")
def test_python_has_the_methods_that_all_messages_go_through():
    connection = multiprocessing.connection.Connection
    assert callable(connection._send_bytes)
    assert callable(connection._recv_bytes)
