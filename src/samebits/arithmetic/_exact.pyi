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
    empty_strided: Callable[..., Tensor],
    get_num_threads: Callable[[], int],
    cpu: device,
    strided: layout,
) -> None: ...
def isa() -> str: ...
def set_isa(name: str) -> bool: ...
def make_team_plain() -> list[int]: ...
def restore_team(states: list[int]) -> None: ...
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
def fourier(
    out: Tensor,
    in_: Tensor,
    geometry: tuple[int, int, int],
    kind: int,
    exchanged: bool,
    scale: float,
) -> None: ...
def unit_roots(out: Tensor) -> None: ...
def qr(a: Tensor, taus: Tensor) -> None: ...
def reflect(vectors: Tensor, taus: Tensor, c: Tensor, how: int) -> None: ...
def lu(a: Tensor, pivots: Tensor, info: Tensor) -> None: ...
def cholesky(a: Tensor, info: Tensor) -> None: ...
def substitute(triangle: Tensor, b: Tensor, upper: bool, unit: bool) -> None: ...
def tridiagonal(a: Tensor, diagonal: Tensor, beside: Tensor, taus: Tensor) -> None: ...
def ql(diagonal: Tensor, beside: Tensor, vectors: Tensor | None, info: Tensor) -> None: ...
def jacobi(x: Tensor, turns: Tensor | None, values: Tensor, info: Tensor) -> None: ...
def channels(
    y: Tensor,
    x: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    outer: int,
    channels: int,
    inner: int,
) -> None: ...
def norm_factors(
    weight: Tensor | None,
    bias: Tensor | None,
    grad: Tensor,
    x: Tensor,
    mean: Tensor,
    rstd: Tensor,
    outer: int,
    channels: int,
    inner: int,
    mean_outer: int,
    mean_channels: int,
) -> None: ...
def bags(
    out: Tensor,
    bag: Tensor,
    sizes: Tensor,
    table: Tensor,
    index: Tensor,
    begins: Tensor,
    weights: Tensor | None,
    mean: bool,
) -> bool: ...
def distances(out: Tensor, x: Tensor, y: Tensor) -> None: ...
def whole_numbers(x: Tensor) -> Tensor | None: ...
def order_of_words(out: Tensor, words: Tensor) -> None: ...
def lstm_step(hy: Tensor, cy: Tensor, kept: Tensor, x: Tensor, h: Tensor, c: Tensor) -> None: ...
def lstm_step_backward(
    grad_gates: Tensor,
    grad_c: Tensor,
    grad_hy: Tensor | None,
    grad_cy: Tensor | None,
    c: Tensor,
    kept: Tensor,
) -> None: ...
def lstm_steps(
    hy: Tensor,
    cy: Tensor,
    gates: Tensor,
    kept: Tensor,
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    h: Tensor,
    c: Tensor,
    keeps: bool,
) -> None: ...
def lstm_steps_backward(
    gates: Tensor,
    grad_h: Tensor | None,
    grad_c: Tensor,
    of_hy: Tensor | None,
    of_h: Tensor | None,
    of_c: Tensor | None,
    weight: Tensor,
    c: Tensor,
    cy: Tensor,
    kept: Tensor,
) -> None: ...
def lstm_slopes(
    weights: Tensor | None,
    biases: Tensor | None,
    gates: Tensor,
    h: Tensor | None,
    hy: Tensor,
    begin: int,
    count: int,
) -> None: ...
def lstm_slopes_added(
    weight: Tensor | None, bias: Tensor | None, gates: Tensor, h: Tensor | None, hy: Tensor
) -> None: ...
def gru_step(hy: Tensor, kept: Tensor, x: Tensor, h: Tensor, state: Tensor) -> None: ...
def gru_step_backward(
    grad_x: Tensor, grad_h: Tensor, grad_state: Tensor, grad: Tensor, kept: Tensor
) -> None: ...
def class_loss(
    x: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignored: int
) -> tuple[Tensor, Tensor] | None: ...
def class_loss_backward(
    out: Tensor,
    grad: Tensor,
    target: Tensor,
    weight: Tensor | None,
    reduction: int,
    ignored: int,
    total: Tensor,
) -> bool: ...
def norm(
    y: Tensor | None,
    x: Tensor,
    mean: Tensor,
    rstd: Tensor | None,
    variance: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    geometry: tuple[int, ...],
    eps: float,
    freedom: float = -1,
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
def weighted(out: Tensor, x: Tensor, begins: Tensor, sources: Tensor, weights: Tensor) -> None: ...
def boxes(out: Tensor, x: Tensor, ends: tuple[Tensor, ...], divisors: Tensor | None) -> None: ...
def grid_sample(out: Tensor, x: Tensor, grid: Tensor, padding: int, align: bool) -> None: ...
def grid_sample_backward(
    grad_x: Tensor | None,
    grad_grid: Tensor,
    grad: Tensor,
    x: Tensor,
    grid: Tensor,
    padding: int,
    align: bool,
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

class Program:
    def __init__(
        self,
        inputs: list[tuple[Any, ...]],
        outputs: list[tuple[Any, ...]],
        arena: int,
        steps: list[tuple[Any, ...]],
    ) -> None: ...
    def run(self, inputs: list[Tensor]) -> list[Tensor] | None: ...

class Dispatcher:
    def __init__(
        self,
        resolve: Callable[[Any], tuple[Any, ...]],
        at_gate: Callable[..., tuple[Any] | tuple[Any, Any] | None],
        after_refusal: Callable[..., tuple[Any] | None],
        others: Callable[..., Any],
    ) -> None: ...
    def bind(self, mode: Any) -> Any: ...
    def call(self, operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None) -> Any: ...
    def release(self) -> None: ...
