"""`samebits.exact(...)`: a context manager and decorator."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, TypeVar

from samebits.arithmetic import _exact, kernels
from samebits.arithmetic.after_refusal import after_refusal
from samebits.arithmetic.allowing import checked_names
from samebits.arithmetic.compiling import keep_from_compiler
from samebits.arithmetic.covered import Coverage, coverage
from samebits.arithmetic.gate import look_closer
from samebits.arithmetic.mode import ExactMode, below_others
from samebits.arithmetic.other_tensors import dispatch_others
from samebits.arithmetic.resolver import Resolver
from samebits.arithmetic.settings import ExactSettings
from samebits.core.scope import BlockOrDecorator
from samebits.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])


class exact(BlockOrDecorator):  # noqa: N801  used as a verb: with exact():
    """Compute so that bits do not depend on the machine, the thread count or the batch size.

    Inside the block every operation that torch dispatches on this thread is computed as
    docs/arithmetic.md defines it: forward, backward, optimizer and random numbers. It works as a
    `with` block and as a decorator, and may be nested.

    Args:
        allow: Names of operations to let through as torch computes them, such as
            "aten.special_bessel_j0". They give up the guarantee for what depends on them.

    Attributes:
        allowed: The names of allowed operations that were met.

    Raises:
        NotExactError: Inside the block, at an operation that is not covered.
        UsageError: `allow` is not a collection of names, torch has no operation of such a name, or
            composes it of others before the block is asked.

    Example:
        >>> import torch, samebits
        >>> with samebits.exact():
        ...     x = torch.tensor([0.5]).exp()
        >>> x.item().hex()
        '0x1.a612980000000p+0'
    """

    label = "samebits.exact()"

    def __init__(self, *function: Any, allow: Iterable[str] = ()) -> None:
        if function:
            raise UsageError(
                "samebits.exact takes no positional arguments",
                hint="As a decorator it is written with parentheses: @samebits.exact()",
            )
        self._allow = checked_names(allow)
        self.allowed: set[str] = set()
        self._entered: list[contextlib.ExitStack] = []

    def __call__(self, function: F) -> F:
        """Decorate a function: each call runs in a block of its own.

        Raises:
            UsageError: It is no function, or a generator or coroutine function, whose body runs
                after the call has returned.
        """
        self.demand_plain(function)

        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with type(self)(allow=self._allow) as block:
                try:
                    return function(*args, **kwargs)
                finally:
                    self.allowed |= block.allowed

        return inside  # type: ignore[return-value]

    def __enter__(self) -> exact:
        kernels.use_environment_build()
        stack = contextlib.ExitStack()
        try:
            stack.enter_context(ExactSettings())
            stack.enter_context(below_others(self.mode()))
        except BaseException:
            stack.close()
            raise
        self._entered.append(stack)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._entered.pop().__exit__(kind, error, traceback)

    @staticmethod
    def coverage(model: Any, *inputs: Any, backward: bool = True, **named: Any) -> Coverage:
        """Run a model once, as `exact()` does, and say how it resolves each operation.

        What it would refuse is computed by torch instead, and the model runs on. Generators,
        gradients and buffers are left as they were.

        Args:
            model: A module or function of tensors.
            *inputs: What it is called with.
            backward: Whether to go back as well, from the sum of all floating results.
            **named: What it is called with by name.

        Returns:
            The operations, of which `missing` names those that `exact()` refuses.
        """
        return coverage(model, *inputs, backward=backward, **named)

    def mode(self) -> ExactMode:
        """A mode that computes by this block's rules."""
        mode: ExactMode
        keep_from_compiler(look_closer)
        resolver = Resolver(self._allow, lambda: mode, self.allowed.add)
        dispatcher = _exact.Dispatcher(
            resolver.resolve, look_closer, after_refusal, dispatch_others
        )
        again = functools.partial(type(self), allow=self._allow)
        mode = ExactMode(dispatcher, allow=self._allow, allowed_used=self.allowed.add, block=again)
        return mode
