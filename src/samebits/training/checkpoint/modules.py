"""The state of a module: more than its `state_dict()`, as far as a resumed run needs it.

Beside the parameters and buffers of the state dict, these decide the next bits, too: gradients
that a step has not used up yet (accumulation), buffers that are not persistent, whether each
submodule is in training mode, which parameters are frozen, and the strides of parameters.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from samebits.training.checkpoint.component import Component, Undo
from samebits.training.checkpoint.exactness import first_difference


class ModuleComponent(Component):
    """A module with everything in it that decides what it computes next."""

    kind = "module"
    target: nn.Module

    def capture(self) -> Any:
        """The state dict, gradients, buffers beside it, modes and frozen parameters."""
        named = list(self.target.named_parameters())
        return {
            "state_dict": self.target.state_dict(),
            "gradients": {name: p.grad for name, p in named if p.grad is not None},
            "buffers": dict(_transient_buffers(self.target)),
            "training": {name: m.training for name, m in self.target.named_modules()},
            "frozen": [name for name, p in named if not p.requires_grad],
        }

    def live(self) -> Any:
        """The state dict alone: nothing else holds what only code can make."""
        return {"state_dict": self.target.state_dict()}

    def objections(self, state: Any) -> Iterator[str]:
        """Missing and extra keys, other shapes, dtypes and devices."""
        here, there = self.target.state_dict(), state["state_dict"]
        yield from _missing_and_extra(self.name, here, there, "parameter or buffer")
        for key in here.keys() & there.keys():
            yield from _tensor_objections(f"{self.name}.{key}", here[key], there[key])
        modules = dict(self.target.named_modules())
        yield from _missing_and_extra(self.name, modules, state["training"], "submodule")
        parameters = dict(self.target.named_parameters())
        for key, gradient in state["gradients"].items():
            if not isinstance(gradient, torch.Tensor):
                yield f"{self.name}.{key}: its gradient is no tensor in the checkpoint"
            elif key not in parameters:
                yield f"{self.name}.{key} has a gradient in the checkpoint, and is no parameter now"
            elif tuple(parameters[key].shape) != tuple(gradient.shape):
                yield f"{self.name}.{key}: its gradient has another shape in the checkpoint"
            elif not _may_be_gradient(parameters[key], gradient):
                yield f"{self.name}.{key}: its gradient has another dtype in the checkpoint"
        for key, value in state["buffers"].items():
            owner, _, name = key.rpartition(".")
            if owner not in modules:
                yield f"{self.name}.{key} is a buffer in the checkpoint, and not now"
            elif not isinstance(value, torch.Tensor) or not _may_be_buffer(modules[owner], name):
                yield f"{self.name}.{key} is a buffer in the checkpoint, and cannot be one now"
        for key, training in state["training"].items():
            if not isinstance(training, bool):
                yield f"{self.name}.{key}: whether it is in training makes no sense"
        for key in state["frozen"]:
            if key not in parameters:
                yield f"{self.name}.{key} is a frozen parameter in the checkpoint, and none now"
        for key, parameter in parameters.items():
            # A lazy module's parameter has no dtype to speak of yet.
            if key not in state["frozen"] and not _may_learn(parameter):
                yield f"{self.name}.{key} learns in the checkpoint, and cannot now"
        yield from _shared_objections(self.name, here, there)
        yield from _metadata_objections(self.name, there)

    def cannot_refuse(self) -> bool:
        """Whether only torch's own code runs when it is loaded, and only copies values."""
        return not _may_refuse(self.target)

    def apply(self, state: Any) -> Undo:
        """Load the state dict; set gradients, buffers, modes and frozen parameters."""
        undo = self._undo()
        try:
            self._give(state)
        except BaseException:
            undo()
            raise
        return undo

    def left_over(self, state: Any) -> Iterator[str]:
        """Entries of the state dict that read otherwise afterwards.

        torch copies a tensor's values or raises; what is not a tensor goes through hooks.
        """
        here, there = self.target.state_dict(), state["state_dict"]
        for key, value in there.items():
            if key not in here:
                yield f"{self.name}.{key} is missing after it was loaded"
            elif not isinstance(value, torch.Tensor):
                yield from super().left_over(state)
                return

    def _give(self, state: Any) -> None:
        target = self.target
        modules = dict(target.named_modules())
        # Whatever takes memory first: until it is there, nothing is changed.
        gradients = {
            name: state["gradients"][name].to(parameter.device)
            for name, parameter in target.named_parameters()
            if name in state["gradients"]
        }
        buffers = {}
        for key, value in state["buffers"].items():
            owner, _, name = key.rpartition(".")
            held = modules[owner]._buffers.get(name)
            buffers[owner, name] = value.to(value.device if held is None else held.device)
        target.load_state_dict(state["state_dict"])
        parameters = dict(target.named_parameters())
        _match_strides(parameters, state["state_dict"])
        for name, parameter in parameters.items():
            parameter.grad = gradients.get(name)
            parameter.requires_grad_(name not in state["frozen"])
        for (owner, name), value in buffers.items():
            modules[owner]._buffers[name] = value
            modules[owner]._non_persistent_buffers_set.add(name)
        for name, module in modules.items():
            module.training = state["training"][name]

    def _undo(self) -> Undo:
        """What puts the module back; copies its tensors only if loading them could still fail."""
        if not _may_refuse(self.target):
            return _nothing
        before = copy.deepcopy(self.capture())
        return lambda: self._give(before)


def _may_be_gradient(parameter: nn.Parameter, gradient: torch.Tensor) -> bool:
    return gradient.dtype in (parameter.dtype, getattr(parameter, "grad_dtype", None))


def _may_be_buffer(module: nn.Module, name: str) -> bool:
    """Whether a buffer that is not persistent may have that name there, now or later."""
    if name in module._buffers:
        return name in module._non_persistent_buffers_set
    return name.isidentifier() and not hasattr(module, name)


def _may_learn(parameter: nn.Parameter) -> bool:
    return parameter.is_floating_point() or parameter.is_complex()


def _shared_objections(name: str, here: Any, there: Any) -> Iterator[str]:
    """Entries that are one tensor now, and were two that differ: the last one would win."""
    first: dict[tuple[Any, ...], str] = {}
    for key, tensor in here.items():
        if type(tensor) in (torch.Tensor, nn.Parameter, nn.Buffer) and tensor.numel():
            if tensor.is_meta or tensor.layout is not torch.strided:
                continue
            place = tensor.device, tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype
            other = first.setdefault(place, key)
            stored = there.get(other), there.get(key)
            if other != key and all(isinstance(one, torch.Tensor) for one in stored):
                difference = first_difference(*stored, f"{name}.{key}")
                if difference is not None:
                    yield f"{name}.{key} and {name}.{other} are one tensor now, and were two"


def _metadata_objections(name: str, there: Any) -> Iterator[str]:
    """What torch reads the versions of modules from."""
    metadata = getattr(there, "_metadata", None)
    if metadata is not None and not (
        isinstance(metadata, dict)
        and all(isinstance(one, dict) for one in metadata.values())
        and all(isinstance(one.get("version"), (int, type(None))) for one in metadata.values())
    ):
        yield f"{name}: the versions of its modules make no sense in the checkpoint"


def _nothing() -> None:
    return None


def _transient_buffers(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """The buffers that `state_dict()` leaves out."""
    for path, part in module.named_modules():
        for name in sorted(part._non_persistent_buffers_set):
            buffer = part._buffers.get(name)
            if buffer is not None:
                yield (f"{path}.{name}" if path else f".{name}"), buffer


def _missing_and_extra(name: str, here: Any, there: Any, what: str) -> Iterator[str]:
    for key in there:
        if key not in here:
            yield f"{name}.{key} is a {what} in the checkpoint, and not now"
    for key in here:
        if key not in there:
            yield f"{name}.{key} is a {what} now, and missing in the checkpoint"


def _tensor_objections(path: str, here: Any, there: Any) -> Iterator[str]:
    if not (isinstance(here, torch.Tensor) and isinstance(there, torch.Tensor)):
        if isinstance(here, torch.Tensor) != isinstance(there, torch.Tensor):
            yield f"{path} is a tensor only {'now' if isinstance(here, torch.Tensor) else 'there'}"
        return
    if isinstance(here, (nn.UninitializedParameter, nn.UninitializedBuffer)):
        return  # of a lazy module: it takes the shape that it is given
    if here.shape != there.shape:
        yield f"{path} has shape {list(there.shape)} in the checkpoint, and {list(here.shape)} now"
    if here.layout != there.layout:
        yield f"{path} has layout {there.layout} in the checkpoint, and {here.layout} now"
    if here.dtype != there.dtype:
        yield f"{path} has dtype {there.dtype} in the checkpoint, and {here.dtype} now"


def _match_strides(parameters: dict[str, nn.Parameter], stored: Any) -> None:
    """Give parameters the strides they had: another memory format takes other kernels."""
    for name, parameter in parameters.items():
        value = stored.get(name)
        if (
            isinstance(value, torch.Tensor)
            and value.layout is torch.strided is parameter.layout
            and parameter.dim() > 1
            and value.shape == parameter.shape
            and value.stride() != parameter.stride()
            and type(parameter.data) is torch.Tensor
        ):
            fresh = torch.empty_strided(
                value.shape, value.stride(), dtype=value.dtype, device=parameter.device
            )
            parameter.data = fresh.copy_(value)


def _may_refuse(module: nn.Module) -> bool:
    """Whether loading a state dict of the right keys and shapes runs code that is not torch's."""
    for part in module.modules():
        kind = type(part)
        for method in ("_load_from_state_dict", "load_state_dict", "set_extra_state"):
            if not getattr(kind, method).__module__.startswith("torch.nn."):
                return True
        if part._load_state_dict_pre_hooks or part._load_state_dict_post_hooks:
            return True
    return any(map(_cannot_be_written, (*module.parameters(), *module.buffers())))


def _cannot_be_written(tensor: torch.Tensor) -> bool:
    """Whether torch may refuse to copy values into a tensor of the right shape."""
    if type(tensor) not in (torch.Tensor, nn.Parameter, nn.Buffer):
        return not hasattr(tensor, "device_mesh")  # a lazy module's, a subclass of somebody's
    if tensor.layout is not torch.strided or tensor.is_inference():
        return True
    pairs = zip(tensor.shape, tensor.stride(), strict=True)
    return any(size > 1 and stride == 0 for size, stride in pairs)
