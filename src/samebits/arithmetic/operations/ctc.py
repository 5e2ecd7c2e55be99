"""Connectionist temporal classification, Graves et al. 2006 (docs/arithmetic.md, "Losses").

Logarithms of probabilities are [T, N, C], targets [N, S] or one after the other. The states of a
target of length L are its classes with a blank before, between and after them: 2 L + 1 in all.
Losses are [N], the logarithms of the forward sums [N, T, 2 S + 1].
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations.formulas import formula

_NEVER = float("-inf")


class _Alignment:
    """What the targets say about states.

    Attributes:
        steps: [N], how many steps of each sample count.
        last: [N], the number of each sample's last state.
        classes: [N, states], the class that each state emits.
        skips: [N, states], whether a state can follow the one two before it.
    """

    def __init__(
        self, log_probs: Tensor, targets: Tensor, steps: Any, lengths: Any, blank: int
    ) -> None:
        most, count, classes = log_probs.shape
        self.steps = torch.as_tensor(steps, dtype=torch.int64).reshape(-1)
        own = torch.as_tensor(lengths, dtype=torch.int64).reshape(-1)
        _demand(self.steps.shape == own.shape == (count,), f"lengths for {count} samples")
        _demand(not count or int(self.steps.min()) >= 0, "lengths of 0 or more")
        _demand(not count or int(self.steps.max()) <= most, f"input lengths of at most {most}")
        _demand(not count or int(own.min()) >= 0, "lengths of 0 or more")
        _demand(0 <= blank < classes, f"a blank from 0 to {classes - 1}")
        widest = int(own.max()) if count else 0
        columns = torch.arange(widest)
        within = columns < own.unsqueeze(1)
        if targets.ndim == 1:
            begin = own.cumsum(0) - own
            _demand(targets.numel() == int(own.sum()), "targets as long as their lengths")
            place = begin.unsqueeze(1) + columns
            flat = targets
        else:
            _demand(targets.shape[0] == count and widest <= targets.shape[1], "a target a sample")
            place = torch.arange(count).unsqueeze(1) * targets.shape[1] + columns
            flat = targets.reshape(-1)
        labels = flat.long()[torch.where(within, place, 0)] if widest else place
        labels = torch.where(within, labels, blank)
        good = bool(((labels >= 0) & (labels < classes)).all())
        _demand(good, f"targets from 0 to {classes - 1}")
        self.last = 2 * own
        self.classes = torch.full((count, 2 * widest + 1), blank)
        self.classes[:, 1::2] = labels
        self.skips = torch.zeros(self.classes.shape, dtype=torch.bool)
        self.skips[:, 2:] = self.classes[:, 2:] != self.classes[:, :-2]

    def emitted(self, log_probs: Tensor) -> Tensor:
        """[T, N, states]: the logarithm of the probability of each state's class."""
        return log_probs.gather(2, self.classes.expand(log_probs.shape[0], -1, -1))


def _demand(condition: bool, what: str) -> None:
    if not condition:
        raise RuntimeError(f"ctc_loss wants {what}")


def _log_sum(first: Tensor, *others: Tensor) -> Tensor:
    """log(exp(a − m) + exp(b − m) + …) + m, m the largest (0 where that is −∞)."""
    most = first
    for other in others:
        most = torch.maximum(most, other)
    most = torch.where(most == _NEVER, 0.0, most)
    total = torch.exp(first - most)
    for other in others:
        total = total + torch.exp(other - most)
    return torch.log(total) + most


def _before(values: Tensor, by: int) -> Tensor:
    """[N, states]: the values of the states `by` places before; −∞ where there is none."""
    return torch.nn.functional.pad(values, (by, 0), value=_NEVER)[:, : values.shape[1]]


def _after(values: Tensor, by: int) -> Tensor:
    return torch.nn.functional.pad(values, (0, by), value=_NEVER)[:, by:]


@formula("aten._ctc_loss", "aten._ctc_loss.Tensor")
def ctc_loss(
    log_probs: Tensor, targets: Tensor, steps: Any, lengths: Any, blank: int = 0,
    zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """−log of the sum over all paths, and the logarithms of the sums over their beginnings."""
    own = _Alignment(log_probs, targets, steps, lengths, blank)
    emitted = own.emitted(log_probs)
    alpha = torch.full(emitted.shape, _NEVER, dtype=log_probs.dtype)
    for t in range(emitted.shape[0]):
        if t == 0:
            alpha[0, :, :2] = emitted[0, :, :2]
            continue
        past = alpha[t - 1]
        skipped = torch.where(own.skips, _before(past, 2), _NEVER)
        alpha[t] = _log_sum(past, _before(past, 1), skipped) + emitted[t]
    alpha = alpha.transpose(0, 1)
    if not alpha.shape[1]:
        ends = torch.full(own.classes.shape, _NEVER, dtype=alpha.dtype)
    else:
        index = (own.steps - 1).clamp(min=0).view(-1, 1, 1).expand(-1, 1, alpha.shape[2])
        ends = alpha.gather(1, index).squeeze(1)
    final = ends.gather(1, own.last.unsqueeze(1)).squeeze(1)
    other = ends.gather(1, (own.last - 1).clamp(min=0).unsqueeze(1)).squeeze(1)
    found = torch.where(own.last > 0, _log_sum(final, other), final)
    # Of no steps there is one path, for no target.
    found = torch.where(own.steps > 0, found, torch.where(own.last > 0, _NEVER, 0.0))
    return -found, alpha


@formula("aten._ctc_loss_backward", "aten._ctc_loss_backward.Tensor")
def ctc_loss_backward(
    grad: Tensor, log_probs: Tensor, targets: Tensor, steps: Any, lengths: Any, loss: Tensor,
    log_alpha: Tensor, blank: int, zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """(exp(p) − the sum of the shares of the states of a class) grad.

    A share is exp of the sums over the beginnings and the ends of paths through a state, plus the
    loss, less p, which is in both.
    """
    own = _Alignment(log_probs, targets, steps, lengths, blank)
    emitted = own.emitted(log_probs)
    number = torch.arange(own.classes.shape[1])
    within = number <= own.last.unsqueeze(1)
    ends = within & (number >= own.last.unsqueeze(1) - 1)
    follows = torch.nn.functional.pad(own.skips, (0, 2))[:, 2:]
    follows = follows & (number < own.last.unsqueeze(1) - 1)
    found = torch.empty_like(log_probs)
    beta = torch.full(own.classes.shape, _NEVER, dtype=log_probs.dtype)
    for t in reversed(range(log_probs.shape[0])):
        skipped = torch.where(follows, _after(beta, 2), _NEVER)
        going_on = _log_sum(beta, _after(beta, 1), skipped)
        last = (own.steps == t + 1).unsqueeze(1)
        beta = torch.where(last, torch.where(ends, 0.0, _NEVER), going_on) + emitted[t]
        beta = torch.where(within & (own.steps > t).unsqueeze(1), beta, _NEVER)
        shares = torch.exp(log_alpha[:, t] + beta + loss.unsqueeze(1) - emitted[t])
        shares = torch.where(beta == _NEVER, 0.0, shares)
        found[t] = torch.zeros_like(log_probs[t]).scatter_add(1, own.classes, shares)
    found = (torch.exp(log_probs) - found) * grad.unsqueeze(1)
    counts = torch.arange(log_probs.shape[0]).unsqueeze(1) < own.steps
    impossible = (loss == float("inf")).unsqueeze(1)
    if zero_infinity:
        counts = counts & ~impossible.squeeze(1)
    found = torch.where(impossible, float("nan"), found)
    return torch.where(counts.unsqueeze(2), found, 0.0)
