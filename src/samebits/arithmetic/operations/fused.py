"""Fused optimizer steps and the operations of GradScaler (docs/arithmetic.md, "Optimizers").

Lists hold a tensor for each parameter; step counts, scales and flags are single numbers.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic import _exact
from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.registry import decomposition

Tensors = list[Tensor]
Optional = Tensor | None


def _begun(op: Any, gradients: Tensors, tensors: Tensors, scale: Optional, found: Optional) -> bool:
    """Whether a step is to be taken; gradients are then divided by the scale, in place."""
    extra = [t for t in (scale, found) if t is not None]
    require_plain(op, [*gradients, *tensors, *extra])
    if found is not None and found.item() != 0:
        return False
    if scale is not None:
        divisor = scale.item()
        for gradient in gradients:
            gradient.div_(divisor)
    return True


def _number(value: Any) -> float:
    return float(value.item()) if isinstance(value, Tensor) else value


@decomposition(
    "aten._fused_adam_",
    "aten._fused_adam_.tensor_lr",
    "aten._fused_adamw_",
    "aten._fused_adamw_.tensor_lr",
    under_mode=True,
)
def fused_adam(
    op: Any, parameters: Tensors, gradients: Tensors, averages: Tensors, squares: Tensors,
    largest: Tensors, counts: Tensors, *, lr: Any, beta1: float, beta2: float,
    weight_decay: float, eps: float, amsgrad: bool, maximize: bool, grad_scale: Optional = None,
    found_inf: Optional = None,
) -> None:  # fmt: skip
    """The step of `torch.optim.Adam` or `AdamW` for each parameter; counts are up already."""
    tensors = [*parameters, *averages, *squares, *largest, *counts]
    if not _begun(op, gradients, tensors, grad_scale, found_inf):
        return
    rate, decoupled = _number(lr), "adamw" in str(op)
    for i, (parameter, gradient, average, square, count) in enumerate(
        zip(parameters, gradients, averages, squares, counts, strict=True)
    ):
        before = count.detach() - 1
        settings = (rate, beta1, beta2, weight_decay, eps, decoupled)
        if not (amsgrad or maximize) and _exact.adam(
            parameter, gradient, average, square, before, *settings
        ):
            continue
        way = -gradient if maximize else gradient
        if weight_decay != 0:
            if decoupled:
                parameter.mul_(1 - rate * weight_decay)
            else:
                way = way.add(parameter, alpha=weight_decay)
        average.lerp_(way, 1 - beta1)
        square.mul_(beta2).addcmul_(way, way, value=1 - beta2)
        step = count.item()
        size = rate / (1 - beta1**step)
        correction = (1 - beta2**step) ** 0.5
        if amsgrad:
            torch.maximum(largest[i], square, out=largest[i])
        root = (largest[i] if amsgrad else square).sqrt()
        parameter.addcdiv_(average, (root / correction).add_(eps), value=-size)


@decomposition("aten._fused_sgd_", "aten._fused_sgd_.tensor_lr", under_mode=True)
def fused_sgd(
    op: Any, parameters: Tensors, gradients: Tensors, buffers: Tensors, *, weight_decay: float,
    momentum: float, lr: Any, dampening: float, nesterov: bool, maximize: bool,
    is_first_step: bool, grad_scale: Optional = None, found_inf: Optional = None,
) -> None:  # fmt: skip
    """The step of `torch.optim.SGD` for each parameter."""
    if not _begun(op, gradients, [*parameters, *buffers], grad_scale, found_inf):
        return
    for i, (parameter, gradient) in enumerate(zip(parameters, gradients, strict=True)):
        way = -gradient if maximize else gradient
        if weight_decay != 0:
            way = way.add(parameter, alpha=weight_decay)
        if momentum != 0:
            if is_first_step:
                buffers[i].copy_(way)
            else:
                buffers[i].mul_(momentum).add_(way, alpha=1 - dampening)
            way = way.add(buffers[i], alpha=momentum) if nesterov else buffers[i]
        parameter.add_(way, alpha=-_number(lr))


@decomposition("aten._fused_adagrad_", "aten._fused_adagrad_.tensor_lr", under_mode=True)
def fused_adagrad(
    op: Any, parameters: Tensors, gradients: Tensors, sums: Tensors, counts: Tensors, *, lr: Any,
    lr_decay: float, weight_decay: float, eps: float, maximize: bool, grad_scale: Optional = None,
    found_inf: Optional = None,
) -> None:  # fmt: skip
    """The step of `torch.optim.Adagrad` for each parameter; counts are up already."""
    tensors = [*parameters, *sums, *counts]
    if not _begun(op, gradients, tensors, grad_scale, found_inf):
        return
    for parameter, gradient, total, count in zip(parameters, gradients, sums, counts, strict=True):
        way = -gradient if maximize else gradient
        if weight_decay != 0:
            way = way.add(parameter, alpha=weight_decay)
        rate = _number(lr) / (1 + (count.item() - 1) * lr_decay)
        total.addcmul_(way, way, value=1)
        parameter.addcdiv_(way, total.sqrt().add_(eps), value=-rate)


@decomposition("aten._amp_foreach_non_finite_check_and_unscale_", under_mode=True)
def unscale(op: Any, gradients: Tensors, found_inf: Tensor, inverse: Tensor) -> None:
    """Gradients times the inverse scale; the flag is 1 where one of them was not finite."""
    require_plain(op, [*gradients, found_inf, inverse])
    factor = inverse.item()
    for gradient in gradients:
        if not bool(torch.isfinite(gradient).all()):
            found_inf.fill_(1.0)
        gradient.mul_(factor)


@decomposition("aten._amp_update_scale_", under_mode=True)
def update_scale(
    op: Any, scale: Tensor, tracker: Tensor, found_inf: Tensor, growth: float, backoff: float,
    interval: int,
) -> Tensor:  # fmt: skip
    """The scale times `backoff` after a step that was left out, else at times `growth`."""
    require_plain(op, [scale, tracker, found_inf])
    if found_inf.item() != 0:
        tracker.fill_(0)
        return scale.mul_(backoff)
    good = int(tracker.item()) + 1
    if good == interval:
        grown = scale * growth
        if bool(torch.isfinite(grown)):
            scale.copy_(grown)
        good = 0
    tracker.fill_(good)
    return scale
