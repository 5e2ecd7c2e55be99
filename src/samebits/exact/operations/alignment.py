"""Connectionist temporal classification: sums over alignments, kept as logarithms."""

from __future__ import annotations

from math import inf
from typing import Any

import torch
from torch import Tensor

from samebits.exact.operations.formulas import formula


def _logsum(terms: list[Tensor]) -> Tensor:
    """M + log(exp(a − m) + exp(b − m) + …), added from left to right; m = 0 where it is −∞."""
    most = terms[0]
    for term in terms[1:]:
        most = torch.maximum(most, term)
    shift = torch.where(most == -inf, 0.0, most)
    total = torch.exp(terms[0] - shift)
    for term in terms[1:]:
        total = total + torch.exp(term - shift)
    return torch.log(total) + shift


class _Alignment:
    """Labels with a blank before, between and behind them, for every sequence of a batch.

    Attributes:
        labels: [N, 2 S + 1].
        skips: Where the label two before is another one and no blank.
        read: [T, N, 2 S + 1]: logarithms of the labels' probabilities.
        frames: [N]: lengths of the inputs.
        last: [N, 1]: the place of the blank behind a sequence's labels.
    """

    def __init__(self, x: Tensor, targets: Tensor, frames: Any, lengths: Any, blank: int) -> None:
        count = x.shape[1]
        self.frames = torch.as_tensor(frames).long().reshape(-1)
        own = torch.as_tensor(lengths).long().reshape(-1)
        if self.frames.numel() != count or own.numel() != count or int(self.frames.max()) > len(x):
            raise RuntimeError(f"the lengths do not fit {count} sequences of {len(x)} frames")
        widest = int(own.max())
        places = torch.arange(widest).expand(count, -1)
        if targets.ndim == 1:
            begins = torch.cumsum(own, 0) - own
            at = begins.unsqueeze(1) + places
            picked = targets.long()[at.clamp(max=max(0, targets.numel() - 1))]
        else:
            picked = targets.long()[:, :widest]
        used = torch.where(places < own.unsqueeze(1), picked, blank)
        self.labels = torch.full((count, 2 * widest + 1), blank)
        self.labels[:, 1::2] = used
        self.skips = torch.zeros(self.labels.shape, dtype=torch.bool)
        self.skips[:, 2:] = (self.labels[:, 2:] != blank) & (
            self.labels[:, 2:] != self.labels[:, :-2]
        )
        self.read = x.gather(2, self.labels.expand(len(x), -1, -1))
        self.last = (2 * own).unsqueeze(1)
        self.place = torch.arange(2 * widest + 1)

    def forward(self) -> Tensor:
        """[N, T, 2 S + 1]: the logarithm of all ways to a label at a frame."""
        way = torch.where(self.place < 2, self.read[0], -inf)
        ways = [way]
        for read in self.read[1:]:
            two = torch.where(self.skips, _moved(way, 2), -inf)
            way = _logsum([way, _moved(way, 1), two]) + read
            ways.append(way)
        return torch.stack(ways, 1)

    def backward(self) -> Tensor:
        """[N, T, 2 S + 1]: the logarithm of all ways from a label at a frame to the end."""
        ends = (self.place == self.last) | (self.place == self.last - 1)
        skips = torch.zeros_like(self.skips)
        skips[:, :-2] = self.skips[:, 2:]
        way = torch.full(self.labels.shape, -inf, dtype=self.read.dtype)
        ways = []
        for frame in range(len(self.read) - 1, -1, -1):
            two = torch.where(skips, _moved(way, -2), -inf)
            through = _logsum([way, _moved(way, -1), two]) + self.read[frame]
            first = torch.where(ends, self.read[frame], -inf)
            begins = (self.frames == frame + 1).unsqueeze(1)
            way = torch.where(begins, first, through)
            ways.append(way)
        return torch.stack(ways[::-1], 1)


def _moved(way: Tensor, steps: int) -> Tensor:
    """The values so many labels before (or, negative, behind) each, −∞ where there are none."""
    return torch.nn.functional.pad(way, (steps, -steps), value=-inf)


@formula("aten._ctc_loss", "aten._ctc_loss.Tensor")
def ctc_loss(
    x: Tensor,
    targets: Tensor,
    frames: Any,
    lengths: Any,
    blank: int = 0,
    zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:
    """Minus the logarithm of all alignments' probability, and the ways to every label."""
    found = _Alignment(x, targets, frames, lengths, blank)
    ways = found.forward()
    rows = torch.arange(x.shape[1])
    final = ways[rows, found.frames - 1]
    empty = found.last == 0
    before = torch.where(empty, -inf, final.gather(1, (found.last - 1).clamp(min=0)))
    loss = -_logsum([final.gather(1, found.last), before]).squeeze(1)
    nothing = torch.where(empty.squeeze(1), 0.0, inf)  # without frames there are no labels
    return torch.where(found.frames == 0, nothing, loss), ways


@formula("aten._ctc_loss_backward", "aten._ctc_loss_backward.Tensor")
def ctc_loss_backward(
    grad: Tensor, x: Tensor, targets: Tensor, frames: Any, lengths: Any, loss: Tensor, ways: Tensor,
    blank: int, zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    """Grad (exp(x) − exp(log(s) + loss − x)), s the sum of the ways through a label."""
    found = _Alignment(x, targets, frames, lengths, blank)
    through = (ways + found.backward()).transpose(0, 1)
    most = through.amax(2, keepdim=True)
    shift = torch.where(torch.isinf(most), 0.0, most)
    sums = torch.zeros_like(x).scatter_add(
        2, found.labels.expand(len(x), -1, -1), torch.exp(through - shift)
    )
    share = torch.exp(torch.log(sums) + shift + loss.view(1, -1, 1) - x)
    slope = (torch.exp(x) - share) * grad.view(1, -1, 1)
    if zero_infinity:
        slope = torch.where((loss == inf).view(1, -1, 1), 0.0, slope)
    inside = torch.arange(len(x)).view(-1, 1, 1) < found.frames.view(1, -1, 1)
    return torch.where(inside, slope, 0.0)
