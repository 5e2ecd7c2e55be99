"""The steps of an LSTM in one native call each way (docs/arithmetic.md, "Recurrent layers").

X is [steps, B, 4 H], a state [B, H], W_hh [4 H, H].

Autograd would have three nodes a step: W_hh turned, its product with h, and the cell. One node
stands for them all here, and others for the slopes of W_hh and b_hh, which are made and added for
each step. Derivatives of the first order are computed natively.

Where they are to be differentiated again, the node makes them by the operations of those three, of
the tensors of each step, which a node of its own takes apart: what comes to one of these later is
added there, as it would be at the node that made it, and is fetched by the first.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch.autograd import forward_ad
from torch.utils._python_dispatch import _pop_mode, _push_mode

from samebits.arithmetic import _exact
from samebits.arithmetic.backward_runs import at_end, sources
from samebits.arithmetic.compiling import keep_from_compiler
from samebits.arithmetic.mode import ExactMode
from samebits.arithmetic.operations.lstm_derivatives import (
    C,
    H,
    LstmBefore,
    LstmRecord,
    LstmStep,
    Optional,
    Slopes,
    added,
    back_by_operations,
    in_columns,
)
from samebits.arithmetic.refusal import not_exact

_is_batched = torch._C._functorch.is_legacy_batchedtensor  # of several gradients at once

_PLAIN = (Tensor, torch.nn.Parameter)
_MOST = 2 << 20
"""Bytes that the slopes of W_hh may take which are made at once: one is the sum of all steps."""


class Layer(NamedTuple):
    """What the steps of a layer are given."""

    x: Tensor
    h: Tensor
    c: Tensor
    weight: Tensor
    bias: Optional


def alone(tensors: Sequence[Tensor]) -> bool:
    """Whether a block is open and nobody else minds the operations on these tensors.

    A recorder, a transformation of functions or a block that lets operations through is to see
    each of them.
    """
    depth = torch._C._len_torch_dispatch_stack()
    modes = map(torch._C._get_dispatch_stack_at, range(depth))
    if not depth or not all(isinstance(mode, ExactMode) and not mode.allow for mode in modes):
        return False
    if torch._C._len_torch_function_stack() or torch._C._are_functorch_transforms_active():
        return False
    if forward_ad._current_level >= 0 or torch.is_autocast_enabled("cpu"):
        return False
    return all(type(t) in _PLAIN and not _is_batched(t) for t in tensors)


def fits(layer: Layer) -> bool:
    """Whether sizes belong to each other; torch's operations say what is wrong with them."""
    x, h, c, weight, bias = layer
    wide = (weight.shape[0],)
    sizes = x.shape[1:] == (*c.shape[:1], *wide) and h.shape == c.shape
    return sizes and (bias is None or bias.shape == wide)


def steps(layer: Layer) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """The outputs of all steps, [steps, B, H], and h and c after the last one."""
    x, h, c, weight, bias = layer
    if not (torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in layer)):
        hy, cy, _, _ = _computed(layer, keeps=False)
        return hy, (hy[-1], cy[0])
    between, shared = _Between(len(x)), []
    if weight.requires_grad or (bias is not None and bias.requires_grad):
        shared = _shared(between, weight, bias)
    hy, h, c = _Steps.apply(between, layer, x, h, c, *shared)  # type: ignore[no-untyped-call]
    # A copy, for what is written to it later is not to change what the node keeps.
    return hy.clone(), (h, c)


def _shared(between: _Between, weight: Tensor, bias: Optional) -> list[Tensor]:
    """Nodes for what the steps share, so many that their slopes fill no more than they may."""
    most = max(1, _MOST // (weight.numel() * weight.element_size()))
    # b_hh first: its last slope comes from a step's product, that of W_hh from W_hhᵀ, behind it.
    both = [weight] if bias is None else [bias, weight]
    found = []
    for begin in range(0, between.count, most):
        count = min(most, between.count - begin)
        edges = [t for t in both for _ in range(count)]
        found.append(_Shared.apply(between, begin, count, *edges))  # type: ignore[no-untyped-call]
    return found


@contextlib.contextmanager
def _below_the_block() -> Iterator[None]:
    """Make and view tensors without the way through the block's mode."""
    alone = torch._C._len_torch_dispatch_stack() == 1
    mode = _pop_mode() if alone else None
    try:
        yield
    finally:
        if mode is not None:
            _push_mode(mode)


def _computed(layer: Layer, *, keeps: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """All h; all c, H and what the derivative needs, or those of the last step alone."""
    x, h, c, weight, bias = layer
    rows, hidden = c.shape
    x = x.detach().contiguous()
    places = len(x) if keeps else 1
    hy = c.new_empty((len(x), rows, hidden))
    cy, gates, kept = (c.new_empty((places, rows, width * hidden)) for width in (1, 4, 5))
    weight, h, c = weight.contiguous(), h.contiguous(), c.contiguous()
    bias = None if bias is None else bias.contiguous()
    _exact.lstm_steps(hy, cy, gates, kept, x, weight, bias, h, c, keeps)
    return hy, cy, gates, kept


class _Known(NamedTuple):
    """What the steps were given, and what they have made.

    The first h serves the slopes of W_hh alone, and is kept for these.
    """

    x: Tensor
    h: Optional
    c: Tensor
    weight: Tensor
    kept: Tensor
    hy: Tensor
    cy: Tensor
    gates: Tensor


class _Steps(torch.autograd.Function):
    """All steps as one of autograd's nodes: from X, h and c to the outputs and the last h and c.

    The nodes of what the steps share are among its inputs, so that they come after it.
    """

    @staticmethod
    def forward(
        ctx: Any, between: _Between, layer: Layer, x: Tensor, h: Tensor, c: Tensor, *_: Tensor
    ) -> Any:
        with _below_the_block():
            hy, cy, gates, kept = _computed(layer, keeps=True)
            last = hy[-1].clone(), cy[-1].clone()
        ctx.between, ctx.biased = between, layer.bias is not None
        ctx.in_columns = in_columns(h)
        ctx.set_materialize_grads(False)
        own_h = h if layer.weight.requires_grad else None
        ctx.save_for_backward(x, own_h, c, layer.weight, kept, hy, cy, gates)
        return hy, *last

    @staticmethod
    def backward(ctx: Any, *come: Optional) -> Any:
        known = _Known(*ctx.saved_tensors)
        between: _Between = ctx.between
        slopes = between.fetched()
        # What the other nodes do not ask for would hold the graph, and this node with it.
        at_end(functools.partial(between.forget, _number_of_run()))
        given = [slope for slope in come if slope is not None]
        again = torch.is_grad_enabled()
        if given and slopes is None and not again and alone(given):
            found = _back(known, come, between, wants_h=ctx.needs_input_grad[3])
        else:
            # The same tensors, but as ones that are differentiated.
            own = between.taken_apart(known) if again else _taken_apart(known)
            first = LstmBefore(known.h, known.c, ctx.in_columns)
            recorded = LstmRecord(own, first, known.kept.unbind(0))
            slopes = _joined(slopes, come, len(own))
            *found, weights, biases = back_by_operations(recorded, slopes, biased=ctx.biased)
            between.keep(_Made(weights, biases))
        return None, None, *found, *[None] * (len(ctx.needs_input_grad) - 5)


class _Shared(torch.autograd.Function):
    """The node of b_hh and W_hh, each an input as often as there are steps, for some steps."""

    @staticmethod
    def forward(ctx: Any, between: _Between, begin: int, count: int, *edges: Tensor) -> Any:
        ctx.between, ctx.steps = between, (begin, count)
        ctx.set_materialize_grads(False)
        return edges[0].new_empty(0)

    @staticmethod
    def backward(ctx: Any, _: Optional) -> Any:
        begin, count = ctx.steps
        _, _, _, *needs = ctx.needs_input_grad
        biased = len(needs) > count
        wanted = needs[-1], biased and needs[0]
        found = ctx.between.slopes_of_shared(ctx, begin, begin + count, *wanted)
        # autograd adds them in the order of the edges: from the last step to the first.
        of_weight, of_bias = (
            [None] * count if slopes is None else slopes[::-1] for slopes in found
        )
        return None, None, None, *(of_bias if biased else ()), *of_weight


class _TakenApart(torch.autograd.Function):
    """The node that gives the tensors of all steps, and keeps what comes to them for the first."""

    @staticmethod
    def forward(ctx: Any, between: _Between, known: _Known, _: Tensor) -> Any:
        between.belongs_to(ctx)
        ctx.between = between
        ctx.set_materialize_grads(False)
        tensors = tuple(tensor for step in _taken_apart(known) for tensor in step)
        ctx.save_for_backward(*tensors)
        return tensors

    @staticmethod
    def backward(ctx: Any, *slopes: Optional) -> Any:
        ctx.between.put(slopes)
        return None, None, None


_OfShared = tuple[Any, Any]
"""Slopes of W_hh and of b_hh by each of some steps, None where they are not wanted."""


class _Made(NamedTuple):
    """Slopes of what the steps share that have been made."""

    weights: list[Optional]
    biases: list[Optional]

    def of_steps(self, begin: int, end: int, *_: bool) -> _OfShared:
        return self.weights[begin:end], self.biases[begin:end]

    def added_up(self, *_: bool) -> _OfShared | None:
        """Nothing: later derivatives are made of each."""
        return None


class _Given:
    """Slopes of what the steps share that another node has handed over, added up."""

    def of_steps(self, begin: int, end: int, *_: bool) -> _OfShared:
        return None, None

    def added_up(self, *_: bool) -> _OfShared | None:
        return None


class _ToBeMade(NamedTuple):
    """What the slopes of what the steps share are made of."""

    weight: Tensor
    gates: Tensor
    h: Optional
    hy: Tensor

    def of_steps(self, begin: int, end: int, of_weight: bool, of_bias: bool) -> _OfShared:
        """The slopes by each of some steps."""
        with _below_the_block():
            count = end - begin
            weights = self.weight.new_empty((count, *self.weight.shape)) if of_weight else None
            biases = self.weight.new_empty((count, self.weight.shape[0])) if of_bias else None
            _exact.lstm_slopes(weights, biases, self.gates, self.h, self.hy, begin, count)
            made = weights, biases
            return tuple(None if t is None else t.unbind(0) for t in made)  # type: ignore[return-value]

    def added_up(self, of_weight: bool, of_bias: bool) -> _OfShared | None:
        """Their sums, as those of a single step."""
        with _below_the_block():
            weight = torch.empty_like(self.weight) if of_weight else None
            bias = self.weight.new_empty(self.weight.shape[0]) if of_bias else None
            _exact.lstm_slopes_added(weight, bias, self.gates, self.h, self.hy)
        return [weight], [bias]


class _Between:
    """What the nodes of a layer leave for each other in a run of autograd.

    Several runs may go over the same graph at a time, on other threads or one within another, so
    that what is left is kept by the run's number.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._apart: Callable[[], Any] = lambda: None
        self._one_takes_apart = threading.RLock()
        self._slopes: dict[int, Slopes] = {}
        self._shared: dict[int, _Made | _ToBeMade | _Given] = {}

    def belongs_to(self, apart: Any) -> None:
        """Remember the node that took the tensors apart, as long as a graph holds it."""
        self._apart = weakref.ref(apart)

    def taken_apart(self, known: _Known) -> list[LstmStep]:
        """The steps' tensors, to be differentiated by."""
        with self._one_takes_apart:
            apart = self._apart()
            if apart is not None:  # an earlier derivative's: what comes to both is added up
                tensors = apart.saved_tensors
            else:
                # What is known lies below transformations of functions, such as vmap, of slopes.
                with temporarily_clear_interpreter_stack():
                    tensors = _TakenApart.apply(self, known, known.hy)  # type: ignore[no-untyped-call]
        return [LstmStep(*tensors[i : i + 5]) for i in range(0, len(tensors), 5)]

    def put(self, slopes: Sequence[Optional]) -> None:
        """Keep what has come to the steps' tensors."""
        number = _number_of_run()
        self._slopes[number] = [list(slopes[i : i + 5]) for i in range(0, len(slopes), 5)]
        at_end(functools.partial(self.forget, number))

    def fetched(self) -> Slopes | None:
        """What has come to the steps' tensors in this run."""
        return self._slopes.pop(_number_of_run(), None)

    def forget(self, number: int) -> None:
        """Let go of what a run has left."""
        self._slopes.pop(number, None)
        self._shared.pop(number, None)

    def keep(self, slopes: _Made | _ToBeMade) -> None:
        """Keep slopes of what the steps share, or what they are made of."""
        self._shared[_number_of_run()] = slopes

    def slopes_of_shared(
        self, node: Any, begin: int, end: int, of_weight: bool, of_bias: bool
    ) -> _OfShared:
        """The slopes of W_hh and b_hh by each of a node's steps; those of the first come last.

        Raises:
            NotExactError: The steps' node has left nothing in this run.
        """
        number = _number_of_run()
        kept = self._shared.get(number)
        if kept is None:
            raise not_exact(
                "aten.lstm.input",
                "the slopes of its weights are asked for in a run of autograd that has not gone "
                "back through its steps",
            )
        if begin == 0:
            del self._shared[number]
        if end == self.count and self._alone(node):
            found = kept.added_up(of_weight, of_bias)
            if found is not None:
                if begin > 0:
                    self._shared[number] = _Given()
                nothing = [None] * (end - begin - 1)
                return tuple([*nothing, *one] for one in found)  # type: ignore[return-value]
        return kept.of_steps(begin, end, of_weight, of_bias)

    def _alone(self, node: Any) -> bool:
        """Whether nothing but the steps' slopes comes to what they share."""
        for edge in set(node.next_functions):
            if edge[0] is None:
                continue
            nodes = sources(edge)
            if nodes is None or node not in nodes:
                return False
            if any(getattr(one, "between", None) is not self for one in nodes):
                return False
        return True


def _number_of_run() -> int:
    """That of the run of autograd that is under way."""
    return torch._C._current_graph_task_id()


def _taken_apart(known: _Known) -> list[LstmStep]:
    turned = known.weight.t().expand(len(known.x), -1, -1)
    own = (known.x, known.hy, known.cy, known.gates, turned)
    return list(itertools.starmap(LstmStep, zip(*(t.detach().unbind(0) for t in own), strict=True)))


def _joined(slopes: Slopes | None, come: Sequence[Optional], count: int) -> Slopes:
    """What comes to the tensors of each step, in the order in which autograd would add it.

    First by later derivatives, then by the layer's last states, which are made after its outputs.
    """
    of_hy, of_h, of_c = come
    if slopes is None:
        slopes = [[None] * 5 for _ in range(count)]
    slopes[-1][H] = added(slopes[-1][H], of_h)
    slopes[-1][C] = added(slopes[-1][C], of_c)
    if of_hy is not None:
        for step, of_output in zip(slopes, of_hy.unbind(0), strict=True):
            step[H] = added(step[H], of_output)
    return slopes


def _back(
    known: _Known, come: Sequence[Optional], between: _Between, *, wants_h: bool
) -> list[Optional]:
    """The slopes of X, h and c, by one native call."""
    of_hy, of_h, of_c = come
    with _below_the_block():
        x = torch.empty_like(known.gates)
        c = torch.empty_like(known.c, memory_format=torch.contiguous_format)
        h = torch.empty_like(c) if wants_h else None
        of_h, of_c = (None if slope is None else slope.contiguous() for slope in (of_h, of_c))
        first_h = None if known.h is None else known.h.detach().contiguous()
        first_c, weight, kept, hy, cy = (t.detach().contiguous() for t in known[2:-1])
        _exact.lstm_steps_backward(x, h, c, of_hy, of_h, of_c, weight, first_c, cy, kept)

    between.keep(_ToBeMade(weight, x, first_h, hy))
    return [x, h, c]


for _function in (_Steps, _Shared, _TakenApart):
    keep_from_compiler(_function.forward)
    keep_from_compiler(_function.backward)
