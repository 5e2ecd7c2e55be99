"""Every operation's file, imported once: what they enter makes the table complete."""

from __future__ import annotations

from samebits.arithmetic.operations import (
    accumulations as accumulations,
)
from samebits.arithmetic.operations import (
    activations as activations,
)
from samebits.arithmetic.operations import (
    attention as attention,
)
from samebits.arithmetic.operations import (
    bags as bags,
)
from samebits.arithmetic.operations import (
    convolution as convolution,
)
from samebits.arithmetic.operations import (
    copies as copies,
)
from samebits.arithmetic.operations import (
    elementary as elementary,
)
from samebits.arithmetic.operations import (
    embedding as embedding,
)
from samebits.arithmetic.operations import (
    foreach as foreach,
)
from samebits.arithmetic.operations import (
    gates as gates,
)
from samebits.arithmetic.operations import (
    interpolation as interpolation,
)
from samebits.arithmetic.operations import (
    losses as losses,
)
from samebits.arithmetic.operations import (
    margins as margins,
)
from samebits.arithmetic.operations import (
    normalisation as normalisation,
)
from samebits.arithmetic.operations import (
    padding as padding,
)
from samebits.arithmetic.operations import (
    pointwise as pointwise,
)
from samebits.arithmetic.operations import (
    pooling as pooling,
)
from samebits.arithmetic.operations import (
    products as products,
)
from samebits.arithmetic.operations import (
    random as random,
)
from samebits.arithmetic.operations import (
    reductions as reductions,
)
from samebits.arithmetic.operations import (
    safe as safe,
)
from samebits.arithmetic.operations import (
    sampling as sampling,
)
from samebits.arithmetic.operations import (
    writing as writing,
)
