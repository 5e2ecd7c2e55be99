"""Watches a thread of the process that it runs in, and writes what it sees to a run folder.

The native recorder does the work at each operation; this class answers its rare questions, ends
steps, and moves full buffers to the trace writer.
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from samebits.check.record.collectives import Collectives
from samebits.check.record.events import RecorderEvents
from samebits.check.record.flush_times import FlushTimes
from samebits.check.record.generators import GeneratorStates
from samebits.check.record.mode import RecorderMode
from samebits.check.record.modules import ModulePaths
from samebits.check.record.operations import Operations
from samebits.check.record.optimizer_order import OptimizerOrder
from samebits.check.record.pending import received_columns, resolve_digests, resolve_rows
from samebits.check.record.piped import PipedMessages
from samebits.check.record.plan import RunPlan
from samebits.check.record.sources import SourceClassifier
from samebits.check.record.step_rows import step_row
from samebits.check.record.steps_in_a_row import StepsInARow
from samebits.check.record.thread_steps import ThreadSteps
from samebits.check.record.timeline import Timeline
from samebits.check.record.torch_hooks import TorchHooks
from samebits.check.record.unusual import device_fingerprint, tensor_kind, unusual_fingerprint
from samebits.check.trace.schema import OPS_DTYPES
from samebits.core import _native
from samebits.core.fingerprint import dtypes
from samebits.core.interposition import UserLines
from samebits.errors import RecordError, SamebitsError, TraceError

if TYPE_CHECKING:
    from samebits.check.record.processes.late_writer import LateWriter
    from samebits.check.trace.writer import TraceWriter

    RowWriter = TraceWriter | LateWriter

_OPTIMIZER_PHASE = 4
_FORWARD_PHASE = 2

_active: Recorder | None = None


def active() -> Recorder | None:
    """The recorder that is at work in this process."""
    return _active


class Recorder:
    """Records one thread of this process, from `start` to `stop`.

    The recorder of the process's first thread also hears for those of the others, which stand
    beside it: each records a thread from `enter_thread` to `leave_thread`, one after another.

    Args:
        writer: Where the rows go.
        classify: Tells user code from libraries.
        plan: What to record. Where it runs under control, every generator was seeded, so that
            Python's and NumPy's count.
        native: The native recorder to use, when one is listening already.
        events: What is reported to.
        beside: The recorder of the process's first thread, where this one is for another thread.

    Attributes:
        on_threads: Gives the recorder of the calling thread where that is another one.
        piped: What it has sent and received through queues and pipes.
    """

    def __init__(
        self,
        writer: RowWriter,
        classify: SourceClassifier,
        plan: RunPlan,
        *,
        native: _native.Recorder | None = None,
        events: RecorderEvents | None = None,
        beside: Recorder | None = None,
    ) -> None:
        self._plan = plan
        self._classify = classify
        self._native = _native.Recorder() if native is None else native
        self._owns_native = native is None
        self._is_beside = beside is not None
        self._begun: dict[str, int] = {} if beside is None else beside._begun
        self._order: OptimizerOrder = OptimizerOrder() if beside is None else beside._order
        if beside is not None:
            self._native.stand_beside(beside._native)
        self.on_threads: Callable[[], Recorder | None] = lambda: None
        self._begin(writer, RecorderEvents() if events is None else events)
        self._native.attach(
            tensor=torch.Tensor,
            parameter=torch.nn.Parameter,
            dtypes=dtypes.native_tables(torch),
            kind_of_type=tensor_kind,
            classify=classify,
            describe=lambda op: self._operations.describe(op),
            name_module=lambda root, module: self._modules.number(root, module),
            unusual=unusual_fingerprint,
            on_device=device_fingerprint,
            flush=self._flush_rows,
            captured=lambda result, written: self._events.captured(result, written),
            replay=self._replay,
            given=lambda op, args, kwargs: self._events.given(op, args, kwargs or {}),
            gave=lambda *noted: self._events.gave(*noted),
            stop=lambda: self._events.stop_row_recorded(),
            failed=self._failed,
            collective=lambda args: self._collectives.number(args),
            sequence_number=torch._C._autograd._get_sequence_nr,
            current_node=torch._C._current_autograd_node,
        )
        self._mark_rows()
        self._native.threads = torch.get_num_threads()
        self._mode: RecorderMode | None = None
        self._hooks = TorchHooks(self._native, self._order, self._begin_step, self._end_step)

    def _mark_rows(self) -> None:
        """Tell the native recorder of the rows at which something was asked for."""
        for name in ("capture_row", "replay_row", "stop_row"):
            row = getattr(self._plan, name)
            if row is not None:
                setattr(self._native, name, row)
        if self._plan.follow_row is not None:
            self._native.follow_from = self._plan.follow_row

    def _begin(self, writer: RowWriter, events: RecorderEvents) -> None:
        self.writer = writer
        self.steps = 0
        self.notes: list[str] = []
        self.timeline = Timeline()
        self.failure: SamebitsError | None = None
        self.piped = PipedMessages(lambda: self._native.total_rows)
        self._events = events
        self._operations = Operations()
        self._collectives = Collectives(self._begun, counts=self.records_from_the_start)
        self._states = GeneratorStates(all_seeded=self._plan.control)
        self._modules = ModulePaths(self._native.forget_modules)
        self._other_threads = ThreadSteps(UserLines(self._classify.is_user), self._order)
        self._steps_in_a_row = StepsInARow(
            self._digest,
            self._order.parameters,
            lambda: self.ops if self._native.recording_ops else None,
        )
        self._thread = get_ident()
        self._flushes = FlushTimes(self._plan)

    @property
    def thread_steps(self) -> list[dict[str, Any]]:
        """What optimizers have done on other threads, for the manifest."""
        return self._other_threads.to_json()

    @property
    def steps_in_any_order(self) -> list[list[int]]:
        """Rows of steps whose order changes nothing, for the manifest."""
        return self._steps_in_a_row.noted()

    @property
    def is_own_thread(self) -> bool:
        """Whether the calling thread is the one whose operations are recorded."""
        return get_ident() == self._thread

    @property
    def is_watching(self) -> bool:
        """Whether anything is recorded at the moment."""
        return self._native.watching

    @property
    def records_from_the_start(self) -> bool:
        """Whether operations are recorded from the first one on."""
        return self._plan.level in ("op", "auto") or self._plan.ops_from_step == 0

    @property
    def records_threads_from_the_start(self) -> bool:
        """Whether operations on other threads are recorded from the first one on."""
        return self.records_from_the_start or self._plan.thread_operations is None

    @property
    def records_operations(self) -> bool:
        """Whether operations are recorded at the moment."""
        return self._native.recording_ops

    @property
    def native(self) -> _native.Recorder:
        """The native recorder."""
        return self._native

    @property
    def ops(self) -> int:
        """Rows recorded so far."""
        return self._native.total_rows

    def start(self) -> None:
        """Begin to watch: hooks and, where the level asks for it, the dispatch mode.

        Raises:
            RecordError: Another recorder is at work in this process.
        """
        global _active
        if _active is not None:
            raise RecordError(
                "this process is being recorded already",
                hint="Recordings cannot be nested; `samebits run` and `check` record too.",
            )
        _active = self
        self._thread = get_ident()
        self._hooks.install()
        self._watch()

    def _watch(self) -> None:
        self._native.watching = True
        self._native.recording_modules = self._plan.level == "module"
        if self.records_from_the_start:
            self._enter_mode()

    def stop(self) -> None:
        """End watching, write what is buffered, and leave torch as it was found."""
        global _active
        self._leave_mode()
        self._append_step("end", None)
        self._native.watching = False
        self._hooks.remove()
        self._flush_rows()
        self._events.recording_ended()
        self.notes += self._operations.notes
        # A thread of its own may be in the midst of an operation.
        if self._owns_native and not self._is_beside:
            self._native.release()
        if _active is self:
            _active = None

    def enter_thread(self, mode: RecorderMode | None) -> None:
        """Record the calling thread from here on.

        Args:
            mode: The one that it has entered, where its operations are recorded.
        """
        self._thread = get_ident()
        self._mode = mode
        self._native.adopt_thread()
        self._native.watching = True
        self._native.recording_ops = mode is not None
        self._native.recording_modules = self._plan.level == "module"

    def end_operations(self) -> None:
        """Record no further operation; steps go on being recorded.

        In the midst of an operation torch keeps the mode for itself: it is left after that.
        """
        self._native.recording_ops = False
        if self._mode is not None:
            self._mode.leave_once_outside(self._leave_mode)

    def leave_thread(self) -> None:
        """The thread has ended; another one may be recorded after it."""
        self._leave_mode()
        self._native.watching = False

    def abandon(self) -> None:
        """In a forked child: pass everything through and write nothing."""
        self.piped = PipedMessages()  # those until now are the parent's
        self._native.watching = False
        self._leave_mode()

    def restart(self, writer: RowWriter, events: RecorderEvents, plan: RunPlan) -> None:
        """In a forked child: record on, from nothing, on the thread that has forked.

        Args:
            writer: Where the child's rows go.
            events: What is reported to.
            plan: What to record of the child.
        """
        self._plan = plan
        self._begin(writer, events)
        self._begun.clear()
        self._native.restart()
        self._mark_rows()
        if self._mode is not None and not self._mode.is_entered():
            self._mode = None  # another thread has forked: this one has no mode yet
        self._watch()

    def flush(self) -> None:
        """Write what was recorded so far: a kill after this loses none of it."""
        self._flush_rows()
        self._write(self.writer.flush)

    def _enter_mode(self) -> None:
        if self._mode is None:
            self._mode = RecorderMode(self._native)
            self._mode.__enter__()
        self._native.recording_ops, self._native.only_steps = True, False

    def _leave_mode(self) -> None:
        # When the script has a mode of its own inside ours, ours stays and passes through.
        self._native.recording_ops = False
        if self._mode is not None and self._mode.leave():
            self._mode = None

    # What the hooks report.

    def _begin_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        recorder = self._of_this_thread()
        if recorder is not None:
            recorder._native.phase = _OPTIMIZER_PHASE
            if recorder._native.watching:
                recorder._steps_in_a_row.begins(optimizer)

    def _of_this_thread(self) -> Recorder | None:
        return self if self.is_own_thread else self.on_threads()

    def _end_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        recorder = self._of_this_thread()
        if recorder is not None:
            recorder._stepped(optimizer)
        elif self._native.watching:
            self._other_threads.stepped(optimizer)

    def _stepped(self, optimizer: Any) -> None:
        native = self._native
        if not native.watching:
            return
        native.phase = _FORWARD_PHASE
        self._append_step("step", optimizer)
        self.steps += 1
        native.step = self.steps
        if self._plan.level == "auto":
            self._end_operations()
        if self.steps == self._plan.ops_from_step:
            self._enter_mode()
        if self._flushes.due_after_step(self.steps, native.total_rows):
            self._flush_rows()
            self._write(self.writer.flush)
            self._flushes.flushed(self.steps, native.total_rows)
        self.timeline.note(self.steps, native.total_rows)
        self._events.rows_written(self.steps, self.ops)
        self._events.step_ended(self.steps)

    def _end_operations(self) -> None:
        """After a step: record no further than through optimizers that step right after it.

        Where each parameter has its own, only all of them show in what order they take the step.
        """
        if self._native.recording_ops:
            self._native.only_steps = True
        else:
            self._leave_mode()

    def _append_step(self, kind: str, optimizer: Any) -> None:
        # Several threads draw from the process's generators, in no order of their own.
        generators = 0 if self._is_beside else self._states.digest()
        row = step_row(self._native, kind, self.steps, optimizer, self._order, generators)
        self._append_sites()
        self._write(lambda: self.writer.append_steps([row]))
        if kind == "step":
            self._steps_in_a_row.ended(optimizer, self.steps, row)
            self._events.step_recorded(row)

    def _digest(self, tensors: Sequence[Any]) -> int:
        row = {"digest": self._native.digest(list(tensors))}
        pending = [("digest", later) for _, later in self._native.take_digests_elsewhere()]
        if pending:
            resolve_digests(row, pending)
        return row["digest"]

    # What the native recorder asks.

    def _flush_rows(self) -> None:
        native = self._native
        if self.piped.is_filled:
            messages = self.piped.take()
            self._write(lambda: self.writer.append_piped(messages))
        if not native.watching and not native.buffered:
            return
        columns = {
            name: np.frombuffer(content, OPS_DTYPES[name])
            for name, content in native.take_rows().items()
        }
        deferred = native.take_deferred()
        if deferred:
            columns = resolve_rows(columns, deferred)
        self._append_sites()
        new_ops, new_signatures = self._operations.take_fresh(), native.take_signatures()
        self._write(
            lambda: self.writer.append_ops(columns, new_ops=new_ops, new_signatures=new_signatures)
        )
        self._append_received()
        if native.watching and self._flushes.due_with_rows(self.steps, native.total_rows):
            self._write(self.writer.flush)
            self._flushes.flushed(self.steps, native.total_rows)
        self.timeline.note(self.steps, native.total_rows)
        self._events.rows_written(self.steps, native.total_rows)

    def _append_received(self) -> None:
        looks = received_columns(*self._native.take_received())
        if len(looks["row"]):
            new_groups = self._collectives.take_fresh()
            self._write(lambda: self.writer.append_received(looks, new_groups=new_groups))

    def _append_sites(self) -> None:
        sites = self._native.take_sites()
        if sites:
            paths = self._modules.paths
            rows = [(file, line, name, paths[module]) for file, line, name, module in sites]
            self._write(lambda: self.writer.append_sites(rows))

    def _write(self, action: Callable[[], None]) -> None:
        """Write, and on failure record no more: the script must not fail for our full disk."""
        if self.failure is not None:
            return
        try:
            action()
        except TraceError as error:
            self.failure = error
            self._events.recording_failed(error)
            self._native.recording_ops = False
            self._native.recording_modules = False

    def _failed(self, error: Exception) -> None:
        if self.failure is None:
            self.failure = RecordError(
                f"recording ended early: {type(error).__name__}: {error}",
                hint="The script went on. Please report this with the operation it happened at.",
            )
            self._events.recording_failed(self.failure)

    def _replay(self, op: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None) -> None:
        self._events.replay(op, args, kwargs or {})
