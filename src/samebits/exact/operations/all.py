"""Every operation's file, imported once: what they enter makes the table complete."""

from __future__ import annotations

from samebits.exact.operations import (
    activations as activations,
    attention as attention,
    convolution as convolution,
)
from samebits.exact.operations import (
    copies as copies,
    embedding as embedding,
    foreach as foreach,
)
from samebits.exact.operations import (
    losses as losses,
)
from samebits.exact.operations import (
    normalisation as normalisation,
)
from samebits.exact.operations import (
    pointwise as pointwise,
    pooling as pooling,
)
from samebits.exact.operations import (
    products as products,
)
from samebits.exact.operations import (
    random as random,
)
from samebits.exact.operations import (
    reductions as reductions,
)
from samebits.exact.operations import (
    safe as safe,
)
