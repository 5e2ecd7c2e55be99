"""Every operation's file, imported once: what they enter makes the table complete."""

from __future__ import annotations

from samebits.exact.operations import (
    accumulations as accumulations,
)
from samebits.exact.operations import (
    activations as activations,
)
from samebits.exact.operations import (
    attention as attention,
)
from samebits.exact.operations import (
    bags as bags,
)
from samebits.exact.operations import (
    convolution as convolution,
)
from samebits.exact.operations import (
    copies as copies,
)
from samebits.exact.operations import (
    elementary as elementary,
)
from samebits.exact.operations import (
    embedding as embedding,
)
from samebits.exact.operations import (
    foreach as foreach,
)
from samebits.exact.operations import (
    gates as gates,
)
from samebits.exact.operations import (
    interpolation as interpolation,
)
from samebits.exact.operations import (
    losses as losses,
)
from samebits.exact.operations import (
    margins as margins,
)
from samebits.exact.operations import (
    normalisation as normalisation,
)
from samebits.exact.operations import (
    padding as padding,
)
from samebits.exact.operations import (
    pointwise as pointwise,
)
from samebits.exact.operations import (
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
from samebits.exact.operations import (
    sampling as sampling,
)
from samebits.exact.operations import (
    writing as writing,
)
