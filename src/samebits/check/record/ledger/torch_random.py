"""torch's generators, and the functions that draw from them where operations are not recorded."""

from __future__ import annotations

import sys
from typing import Any

from samebits.check.record.ledger.watching import Meaning, Slot, Watching

_FUNCTIONS = (
    *("rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "randperm", "normal"),
    *("bernoulli", "bernoulli_", "multinomial", "poisson", "binomial", "_standard_gamma"),
    "_sample_dirichlet",
)
_METHODS = (
    *("uniform_", "normal_", "random_", "exponential_", "geometric_", "log_normal_", "cauchy_"),
    *("bernoulli", "bernoulli_", "multinomial"),
)
_DROPOUTS = (
    *("dropout", "dropout_", "alpha_dropout", "alpha_dropout_", "feature_dropout"),
    *("feature_dropout_", "feature_alpha_dropout", "feature_alpha_dropout_", "native_dropout"),
)
_RECURRENT = ("lstm", "gru", "rnn_tanh", "rnn_relu")


def watch_torch(watching: Watching) -> None:
    """Watch torch's generators; torch must be imported."""
    torch: Any = sys.modules["torch"]
    for names, meaning in (
        (_FUNCTIONS, Meaning.TORCH_DRAW),
        (_DROPOUTS, Meaning.TORCH_DROPOUT),
        (_RECURRENT, Meaning.TORCH_RECURRENT),
    ):
        for name in names:
            watching.function(torch, name, meaning, "torch-cpu", f"torch.{name}")
    for name in _METHODS:
        watching.function(
            torch._C.TensorBase, name, Meaning.TORCH_DRAW, "torch-cpu", f"torch.Tensor.{name}"
        )
    attention = "scaled_dot_product_attention"
    watching.function(
        torch._C._nn, attention, Meaning.TORCH_ATTENTION, "torch-cpu", f"torch.{attention}"
    )
    kind = torch._C.Generator
    source = "torch-generator"
    watching.function(
        kind, "manual_seed", Meaning.TORCH_SEED, source, "torch.Generator.manual_seed"
    )
    watching.function(kind, "seed", Meaning.TORCH_RESEED, source, "torch.Generator.seed")
    watching.function(kind, "get_state", Meaning.STATE, source, "torch.Generator.get_state")
    watching.function(kind, "set_state", Meaning.TORCH_RESTORE, source, "torch.Generator.set_state")
    watching.type_slot(kind, Slot.NEW, Meaning.TORCH_NEW, source, "torch.Generator")
    watching.shared(torch.default_generator, "torch-cpu")
    for generator in getattr(sys.modules.get("torch.cuda"), "default_generators", ()):
        watching.shared(generator, "torch-cuda")
