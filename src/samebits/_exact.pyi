"""What the module of exact kernels offers; the docstrings are in native/python/exact/."""

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, device, dtype, layout

def attach(
    tensor: type,
    parameter: type,
    tables: Any,
    kind_of_type: Callable[[type], int],
    dtypes: Mapping[str, dtype],
    empty: Callable[..., Tensor],
    empty_strided: Callable[..., Tensor],
    get_num_threads: Callable[[], int],
    cpu: device,
    strided: layout,
) -> None: ...
def isa() -> str: ...
def set_isa(name: str) -> bool: ...
def pool_size() -> int: ...
def operation_numbers() -> dict[str, int]: ...
def elementwise(
    operation: int, out: Tensor | None, tensors: tuple[Tensor, ...], scalars: tuple[float, ...]
) -> Any: ...
def products(
    out: Tensor, a: Tensor, b: Tensor, add: Tensor | None, alpha: float, beta: float
) -> None: ...
def sum_rows(
    out: Tensor, x: Tensor, y: Tensor | None, geometry: tuple[int, ...], summand: int
) -> None: ...
def sum_columns(out: Tensor, x: Tensor, summand: int) -> None: ...
def scan(out: Tensor, x: Tensor, kind: int) -> None: ...
def multiplied(out: Tensor, x: Tensor) -> None: ...
def softmax(out: Tensor, x: Tensor) -> None: ...
def log_softmax(out: Tensor, x: Tensor) -> None: ...
def softmax_backward(out: Tensor, grad: Tensor, y: Tensor) -> None: ...
def log_softmax_backward(out: Tensor, grad: Tensor, y: Tensor) -> None: ...
def norm(
    y: Tensor | None,
    x: Tensor,
    mean: Tensor,
    rstd: Tensor,
    variance: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    geometry: tuple[int, ...],
    eps: float,
) -> None: ...
def norm_backward(
    grad_x: Tensor,
    grad: Tensor,
    x: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    geometry: tuple[int, ...],
) -> None: ...
def convolution(
    wanted: int, x: Tensor, y: Tensor, weight: Tensor, bias: Tensor | None, sizes: list[int]
) -> None: ...
def add_rows(target: Tensor, index: Tensor, rows: Tensor, skipped: int = ...) -> None: ...
def add_planes(
    target: Tensor,
    index: Tensor,
    values: Tensor,
    inner: int = 1,
    skipped: int = ...,
    fresh: bool = False,
) -> None: ...
def put_rows(target: Tensor, index: Tensor, rows: Tensor) -> None: ...
def adam(
    parameter: Tensor,
    gradient: Tensor,
    average: Tensor,
    square: Tensor,
    count: Tensor,
    rate: float,
    beta1: float,
    beta2: float,
    decay: float,
    eps: float,
    decoupled: bool,
) -> bool: ...
def random_words(out: Tensor, key: int) -> None: ...
def random_uniform(out: Tensor, key: int, low: float, high: float) -> None: ...
def random_bernoulli(out: Tensor, key: int, threshold: int) -> None: ...
def random_exponential(out: Tensor, key: int, rate: float) -> None: ...
def random_normal(out: Tensor, key: int, mean: float, deviation: float) -> None: ...

class Dispatcher:
    def __init__(
        self,
        resolve: Callable[[Any], tuple[Any, Any, int | None]],
        at_gate: Callable[..., tuple[Any] | None],
        after_refusal: Callable[..., tuple[Any] | None],
        others: Callable[..., Any],
    ) -> None: ...
    def bind(self, mode: Any) -> Any: ...
    def release(self) -> None: ...
