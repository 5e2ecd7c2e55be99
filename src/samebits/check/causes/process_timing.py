"""Which process was ready first."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.pace import Pace
from samebits.check.diff.racing_parties import Parties
from samebits.core.source.statement import Statement, called

UNDER_WAY = "message under way"
"""`Culprit.detail` where a message was read before it had come."""
_REQUESTING = frozenset({"rpc_async", "rpc_sync", "remote", "to_here"})
_ANY_SENDER = (
    "Without src, recv takes the message of whichever rank was ready first. Receive from each rank "
    "by its number, recv(tensor, src=rank), in the order of the numbers; or keep what came by its "
    "sender, which recv returns, and use it in the order of the numbers once all of it is there."
)
_NOT_WAITED_FOR = (
    "irecv and isend return at once; the message comes and goes meanwhile. Wait for what irecv "
    "returned, work.wait(), before the tensor that it fills is read here, and for what isend "
    "returned before the tensor that it sends is changed. What does not need the message can be "
    "computed between the two."
)
_ANSWERED = (
    "The process that answers here gets the requests of several others in whatever order they "
    "arrive. Let it keep what each one sends by the number of the sender, and combine that in the "
    "order of the numbers once all of it has come, for instance "
    "for number in sorted(received). An answer must not depend on which requests came before it."
)


class ProcessTiming(Pace):
    """Several processes do something, and their pace decides an order."""

    code: ClassVar[str] = "process-timing"
    parties: ClassVar[Parties] = "process"
    meaning: ClassVar[str] = (
        "An order depended on which process was ready first (a race): what came first out of a "
        "queue, a pipe, a pool or recv() without src, who took which task, who wrote to shared "
        "memory last."
    )
    look: ClassVar[str] = (
        "Collect results in the order in which they were submitted (Executor.map, Pool.imap, "
        "joblib's return_as='generator'), or keep what comes from other processes by its sender or "
        "its task, and combine it in the order of these numbers once all of it is there. When "
        "reading back what several processes wrote, sort by a key (sorted, ORDER BY). Seed random "
        "generators for each task, by its number, not for each process: timing decides which "
        "process takes which task. Do not let processes change what others read, such as a model "
        "in shared memory; fill a slot of shared memory again only once it has been read."
    )
    copies: ClassVar[str] = (
        "Which process takes what is handed over here, and when it is ready, goes by timing. Send "
        "the number of the task along, and combine the results in the order of the numbers. "
        "Tensors in a queue share memory with those of the process that sent them: hand over "
        "x.detach().clone() where they go on being changed."
    )
    of_tasks: ClassVar[str] = (
        "Take the results in the order of the tasks, not as they are ready. Which process does "
        "which task goes by timing, so nothing may pass from one task to the next in its process: "
        "begin each task from its arguments alone, without what the one before has left in a "
        "global or in an object of the process (a starting point, a model that goes on being "
        "trained, a running average), and seed what it draws by the number of the task. No task "
        "may change what others read, such as a file or a model in shared memory."
    )
    nothing_shared: ClassVar[str] = (
        "Do not let the processes that are started here change anything that others read "
        "meanwhile, such as a model in shared memory (share_memory): give each its own copy, send "
        "what it computes to one process, and combine it there at fixed points, in the order of "
        "the processes' numbers. A training that shares its weights on purpose (Hogwild) does "
        "not repeat by design."
    )

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """The same as for threads; and for ranks how to receive, and how to answer requests."""
        calls = {called(node) for node in statement.expressions()} if statement else set()
        if culprit.detail == UNDER_WAY:
            return _NOT_WAITED_FOR
        if "recv_any_source" in culprit.operation:
            return _ANY_SENDER
        if calls & _REQUESTING or culprit.operation == "rpc":
            return _ANSWERED
        return super().advice(culprit, pinned, statement)
