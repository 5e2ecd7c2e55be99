"""Who draws from which generator, and who seeds it: the tables that the rules share.

A stream is a global generator: "python" (the random module), "numpy" (numpy.random's own),
"torch" (the default generators of torch).
"""

from __future__ import annotations

import re

PYTHON, NUMPY, TORCH = "python", "numpy", "torch"
ALL = frozenset({PYTHON, NUMPY, TORCH})


def _names(prefix: str, names: str) -> frozenset[str]:
    return frozenset(f"{prefix}.{name}" for name in names.split())


PYTHON_DRAWS = _names(
    "random",
    "random randint randrange choice choices sample shuffle uniform gauss normalvariate "
    "triangular betavariate expovariate gammavariate lognormvariate vonmisesvariate "
    "paretovariate weibullvariate getrandbits randbytes binomialvariate",
)
NUMPY_DRAWS = _names(
    "numpy.random",
    "rand randn randint random random_sample ranf sample choice shuffle permutation uniform "
    "normal standard_normal beta binomial chisquare dirichlet exponential gamma geometric gumbel "
    "laplace logistic lognormal multinomial multivariate_normal negative_binomial poisson "
    "power rayleigh triangular vonmises wald weibull zipf bytes random_integers",
)
TORCH_DRAWS = (
    _names(
        "torch",
        "rand randn randint randperm normal bernoulli multinomial poisson rand_like randn_like "
        "randint_like",
    )
    | _names(
        "torch.nn.init",
        "uniform_ normal_ trunc_normal_ xavier_uniform_ xavier_normal_ kaiming_uniform_ "
        "kaiming_normal_ orthogonal_ sparse_",
    )
    | _names(
        "torch.nn",
        "Linear LazyLinear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d "
        "ConvTranspose3d Embedding EmbeddingBag RNN LSTM GRU RNNCell LSTMCell GRUCell "
        "Transformer TransformerEncoderLayer TransformerDecoderLayer MultiheadAttention",
    )
)
DRAWS = {PYTHON: PYTHON_DRAWS, NUMPY: NUMPY_DRAWS, TORCH: TORCH_DRAWS}
STREAM_OF = {name: stream for stream, names in DRAWS.items() for name in names}

SEEDERS: dict[str, frozenset[str]] = {
    "random.seed": frozenset({PYTHON}),
    "random.setstate": frozenset({PYTHON}),
    "numpy.random.seed": frozenset({NUMPY}),
    "numpy.random.set_state": frozenset({NUMPY}),
    "torch.manual_seed": frozenset({TORCH}),
    "torch.set_rng_state": frozenset({TORCH}),
    "torch.fork_rng": frozenset(),
    "samebits.seed_everything": ALL,
    "samebits.isolated_rng": frozenset(),
    "lightning.seed_everything": ALL,
    "lightning.pytorch.seed_everything": ALL,
    "transformers.set_seed": ALL,
    "transformers.enable_full_determinism": ALL,
    "transformers.trainer_utils.set_seed": ALL,
    # The trainer seeds when it is made, with 42 unless told otherwise.
    "transformers.Trainer": ALL,
    "transformers.TrainingArguments": ALL,
    "accelerate.utils.set_seed": ALL,
    "keras.utils.set_random_seed": ALL,
    "tensorflow.keras.utils.set_random_seed": ALL,
    "monai.utils.set_determinism": ALL,
    "ignite.utils.manual_seed": ALL,
}

# Those that take the seed as their first argument.
GLOBAL_SEED_CALLS = frozenset(
    {
        "random.seed",
        "numpy.random.seed",
        "torch.manual_seed",
        "torch.cuda.manual_seed",
        "torch.cuda.manual_seed_all",
        "samebits.seed_everything",
        "lightning.seed_everything",
        "lightning.pytorch.seed_everything",
        "transformers.set_seed",
        "accelerate.utils.set_seed",
        "keras.utils.set_random_seed",
    }
)
GENERATOR_CONSTRUCTORS = frozenset(
    {
        "random.Random",
        "numpy.random.default_rng",
        "numpy.random.RandomState",
        "numpy.random.SeedSequence",
        "numpy.random.PCG64",
        "numpy.random.PCG64DXSM",
        "numpy.random.Philox",
        "numpy.random.MT19937",
        "numpy.random.SFC64",
    }
)
SEED_TAKERS = (
    GLOBAL_SEED_CALLS
    | GENERATOR_CONSTRUCTORS
    | {
        "transformers.trainer_utils.set_seed",
        "transformers.enable_full_determinism",
        "tensorflow.keras.utils.set_random_seed",
        "monai.utils.set_determinism",
        "ignite.utils.manual_seed",
    }
)

SEEDER_NAME = re.compile(
    r"(?i)^_*(seed_?(everything|all|torch|rngs?)"
    r"|(?!initial)(set|fix|init|setup)_?\w*seeds?(_everywhere)?"
    r"|(set|enable|make)_(full_)?determinism)$"
)
"""Names of functions that, when nobody here defines them, may be trusted to seed."""
