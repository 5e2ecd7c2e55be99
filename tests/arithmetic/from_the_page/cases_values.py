"""Sums, products, functions, element by element: by the page, and by samebits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from tests.arithmetic.from_the_page.page import DTYPES, Libraries, Page

import samebits

Case = tuple[str, torch.Tensor, torch.Tensor]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 6.0, 1e-3, -88.0, 20.5, 2.5, -2.5]
ENDS = [float("inf"), float("-inf"), float("nan"), 1e-40, -1e-45, 3e38]


def values(
    seed: int, *shape: int, dtype: torch.dtype = torch.float32, scale: float = 1.0
) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(shape, generator=generator, dtype=torch.float64) * scale).to(dtype)


def sums(libraries: Libraries) -> Iterator[Case]:
    kinds = {
        "sum": lambda x: x.sum(1),
        "mean": lambda x: x.mean(1),
        "var": lambda x: x.var(1),
        "std": lambda x: x.std(1),
        "norm 1": lambda x: torch.linalg.vector_norm(x, 1, dim=1),
        "norm 2": lambda x: torch.linalg.vector_norm(x, 2, dim=1),
        "norm p": lambda x: torch.linalg.vector_norm(x, 2.3, dim=1),
        "logsumexp": lambda x: torch.logsumexp(x, 1),
        "max": lambda x: x.amax(1),
    }
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for rows, n in ((3, 1), (2, 5), (4, 63), (2, 130), (2, 2049), (1, 4097), (1, 20001)):
            x = values(n, rows, n, dtype=dtype)
            x[0, 0] = -0.0
            for kind, theirs in kinds.items():
                if kind in ("var", "std") and n == 1:
                    continue
                out = page.empty(rows)
                correction = 2.3 if kind == "norm p" else 1.0
                page.call("reduce", kind, rows, n, page.operand(x), correction, out)
                with samebits.exact():
                    yield f"{kind} {dtype} {n}", page.tensor(out), theirs(x)
            small = (1 + values(n, n, dtype=dtype, scale=0.01)).to(dtype)
            out = np.zeros(1)
            page.call("prod", n, page.operand(small), out)
            with samebits.exact():
                yield f"prod {dtype} {n}", page.tensor(out)[0], small.prod()
        x = values(9, 3, 70, 5, dtype=dtype)
        flat = page.operand(x.permute(1, 0, 2).reshape(70, 15))
        out = page.empty(70)
        page.call("reduce", "sum", 70, 15, flat, 0.0, out)
        with samebits.exact():
            yield f"sum of two axes {dtype}", page.tensor(out), x.sum((0, 2))
        y, out = x.view(42, 25), page.empty(42, 25)
        page.call("renorm", 42, 25, page.operand(y), 4.3, out)
        with samebits.exact():
            yield f"renorm {dtype}", page.tensor(out), torch.renorm(y, 2, 0, 4.3)


def scans(libraries: Libraries) -> Iterator[Case]:
    kinds = {"+": torch.cumsum, "*": torch.cumprod, "l": torch.logcumsumexp}
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for n in (1, 4, 64, 65, 200, 4097, 9000):
            for kind, theirs in kinds.items():
                x = values(n, n, dtype=dtype, scale=1.0 if kind != "*" else 0.01)
                x = (x + 1).to(dtype) if kind == "*" else x
                x[0] = -0.0 if kind != "*" else 1.0
                if kind == "l" and n > 3:
                    x[1] = float("-inf")
                out = np.zeros(n)
                page.call("running", kind, n, page.operand(x), out)
                with samebits.exact():
                    yield f"scan {kind} {dtype} {n}", page.tensor(out), theirs(x, 0)


def products(libraries: Libraries) -> Iterator[Case]:
    shapes = (
        (1, 1, 1),
        (3, 5, 7),
        (17, 9, 256),
        (5, 6, 257),
        (2, 3, 4096),
        (3, 2, 4500),
        (2, 2, 9001),
        (2, 3, 0),
    )
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        for m, n, k in shapes:
            a, b = values(m, m, k, dtype=dtype), values(k, k, n, dtype=dtype)
            out = page.empty(m, n)
            page.call("matmul", m, n, k, page.operand(a), k, 1, page.operand(b), n, 1, out)
            with samebits.exact():
                yield f"matmul {dtype} {m, n, k}", page.tensor(out), a @ b
            c = values(n, n, dtype=dtype)
            whole = page.operand(c.expand(m, n))
            for beta, alpha in ((1.0, 1.0), (0.3, -1.7), (0.0, 0.1)):
                sum_ = page.empty(m, n)
                # Without a sum (beta = 0) the product of halves is rounded at the end alone.
                product = page.once(out) if beta else out
                page.call("addmm", m * n, whole, product, beta, alpha, sum_)
                with samebits.exact():
                    theirs = torch.addmm(c, a, b, beta=beta, alpha=alpha)
                    yield f"addmm {dtype} {m, n, k} {beta} {alpha}", page.tensor(sum_), theirs
        batch, other = values(1, 2, 3, 4, 70, dtype=dtype), values(2, 3, 70, 5, dtype=dtype)
        out = page.empty(2, 3, 4, 5)
        left, right = page.operand(batch), page.operand(other)
        for i in range(2):
            for j in range(3):
                one = page.empty(4, 5)
                page.call(
                    "matmul",
                    4,
                    5,
                    70,
                    np.ascontiguousarray(left[i, j]),
                    70,
                    1,
                    right[j].copy(),
                    5,
                    1,
                    one,
                )
                out[i, j] = one
        with samebits.exact():
            yield f"matmul of batches {dtype}", page.tensor(out), batch @ other


FUNCTIONS = "exp exp2 expm1 log log2 log10 log1p sin cos asin acos atan tanh erf erfc sigmoid rsqrt"


def functions(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        x = torch.cat([values(1, 3000, dtype=dtype), values(2, 3000, dtype=dtype, scale=30)])
        x = torch.cat([x, torch.tensor(SPECIAL + ENDS, dtype=torch.float64).to(dtype)])
        for name in FUNCTIONS.split():
            out = page.empty(x.numel())
            page.call("unary", name, x.numel(), page.operand(x), out)
            with samebits.exact():
                yield f"{name} {dtype}", page.tensor(out), getattr(torch, name)(x)
        y = values(3, x.numel(), dtype=dtype, scale=2)
        y[:6] = torch.tensor([0.5, -0.5, 2.0, 3.0, 0.0, -1.0], dtype=dtype)
        for name in ("pow", "atan2"):
            out = page.empty(x.numel())
            first = x.abs() if name == "pow" else x
            page.call("binary", name, x.numel(), page.operand(first), page.operand(y), out)
            with samebits.exact():
                yield f"{name} {dtype}", page.tensor(out), getattr(torch, name)(first, y)


A = torch.ops.aten
ROWS = {
    "add": (2, (0.3, 0, 0), lambda x, y, z: torch.add(x, y, alpha=0.3)),
    "addcmul": (3, (0.3, 0, 0), lambda x, y, z: torch.addcmul(x, y, z, value=0.3)),
    "addcdiv": (3, (0.3, 0, 0), lambda x, y, z: torch.addcdiv(x, y, z, value=0.3)),
    "lerp": (3, (0, 0, 0), torch.lerp),
    "maximum": (2, (0, 0, 0), lambda x, y, z: torch.maximum(x, y)),
    "minimum": (2, (0, 0, 0), lambda x, y, z: torch.minimum(x, y)),
    "relu": (1, (0, 0, 0), lambda x, y, z: torch.relu(x)),
    "clamp": (1, (-0.3, 0.7, 0), lambda x, y, z: torch.clamp(x, -0.3, 0.7)),
    "threshold_backward": (2, (0.1, 0, 0), lambda x, y, z: A.threshold_backward(x, y, 0.1)),
    "sigmoid_backward": (2, (0, 0, 0), lambda x, y, z: A.sigmoid_backward(x, y)),
    "tanh_backward": (2, (0, 0, 0), lambda x, y, z: A.tanh_backward(x, y)),
    "gelu": (1, (0, 0, 0), lambda x, y, z: F.gelu(x)),
    "gelu_backward": (2, (0, 0, 0), lambda x, y, z: A.gelu_backward(x, y)),
    "gelu_tanh": (1, (0, 0, 0), lambda x, y, z: F.gelu(x, approximate="tanh")),
    "gelu_tanh_backward": (2, (0, 0, 0), lambda x, y, z: A.gelu_backward(x, y, approximate="tanh")),
    "silu": (1, (0, 0, 0), lambda x, y, z: F.silu(x)),
    "silu_backward": (2, (0, 0, 0), lambda x, y, z: A.silu_backward(x, y)),
    "log_sigmoid": (1, (0, 0, 0), lambda x, y, z: F.logsigmoid(x)),
    "log_sigmoid_backward": (2, (0, 0, 0), lambda x, y, z: A.log_sigmoid_backward(x, y, y)),
    "softplus": (1, (1.3, 20, 0), lambda x, y, z: F.softplus(x, 1.3, 20)),
    "softplus_backward": (2, (1.3, 20, 0), lambda x, y, z: A.softplus_backward(x, y, 1.3, 20)),
    "elu": (1, (1.67, 1.05, 0.9), lambda x, y, z: A.elu(x, 1.67, 1.05, 0.9)),
    "elu_backward": (
        2,
        (1.67, 1.05, 0.9),
        lambda x, y, z: A.elu_backward(x, 1.67, 1.05, 0.9, False, y),
    ),
    "elu_backward_of_result": (
        2,
        (1.67, 1.05, 0.9),
        lambda x, y, z: A.elu_backward(x, 1.67, 1.05, 0.9, True, y),
    ),
    "leaky_relu_backward": (
        2,
        (0.3, 0, 0),
        lambda x, y, z: A.leaky_relu_backward(x, y, 0.3, False),
    ),
    "hardtanh_backward": (2, (-0.4, 0.5, 0), lambda x, y, z: A.hardtanh_backward(x, y, -0.4, 0.5)),
    "prelu_backward": (3, (0, 0, 0), lambda x, y, z: A._prelu_kernel_backward(x, y, z)[0]),
    "prelu_backward_w": (3, (0, 0, 0), lambda x, y, z: A._prelu_kernel_backward(x, y, z)[1]),
    "sign": (1, (0, 0, 0), lambda x, y, z: torch.sign(x)),
    "leaky_relu": (1, (0.01, 0, 0), lambda x, y, z: F.leaky_relu(x, 0.01)),
    "hardtanh": (1, (-0.4, 0.9, 0), lambda x, y, z: F.hardtanh(x, -0.4, 0.9)),
    "prelu": (2, (0, 0, 0), lambda x, y, z: A._prelu_kernel(x, y)),
    "glu": (2, (0, 0, 0), lambda x, y, z: F.glu(torch.cat([x, y]), 0)),
    "glu_backward_a": (
        3,
        (0, 0, 0),
        lambda x, y, z: A.glu_backward(x, torch.cat([y, z]), 0)[: x.numel()],
    ),
    "glu_backward_b": (
        3,
        (0, 0, 0),
        lambda x, y, z: A.glu_backward(x, torch.cat([y, z]), 0)[x.numel() :],
    ),
    "mish": (1, (0, 0, 0), lambda x, y, z: F.mish(x)),
    "mish_backward": (2, (0, 0, 0), lambda x, y, z: A.mish_backward(x, y)),
    "celu": (1, (1.3, 0, 0), lambda x, y, z: F.celu(x, 1.3)),
    "hardswish": (1, (0, 0, 0), lambda x, y, z: F.hardswish(x)),
    "hardswish_backward": (2, (0, 0, 0), lambda x, y, z: A.hardswish_backward(x, y)),
    "hardsigmoid": (1, (0, 0, 0), lambda x, y, z: F.hardsigmoid(x)),
    "hardsigmoid_backward": (2, (0, 0, 0), lambda x, y, z: A.hardsigmoid_backward(x, y)),
    "hardshrink": (1, (0.3, 0, 0), lambda x, y, z: F.hardshrink(x, 0.3)),
    "softshrink": (1, (0.3, 0, 0), lambda x, y, z: F.softshrink(x, 0.3)),
    "shrink_backward": (2, (0.3, 0, 0), lambda x, y, z: A.hardshrink_backward(x, y, 0.3)),
    "threshold": (1, (0.3, 0.8, 0), lambda x, y, z: F.threshold(x, 0.3, 0.8)),
    "heaviside": (2, (0, 0, 0), lambda x, y, z: torch.heaviside(x, y)),
    "logit": (1, (0, 0, 0), lambda x, y, z: torch.logit(x)),
    "logit_held": (1, (0.2, 1 - 0.2, 0), lambda x, y, z: torch.logit(x, 0.2)),
    "logit_held_backward": (2, (0.2, 1 - 0.2, 0), lambda x, y, z: A.logit_backward(x, y, 0.2)),
    "logit_backward": (2, (0, 0, 0), lambda x, y, z: A.logit_backward(x, y)),
    "deg2rad": (1, (0, 0, 0), lambda x, y, z: torch.deg2rad(x)),
    "rad2deg": (1, (0, 0, 0), lambda x, y, z: torch.rad2deg(x)),
    "tangent": (1, (0, 0, 0), lambda x, y, z: torch.tan(x)),
    "sinh_": (1, (0, 0, 0), lambda x, y, z: torch.sinh(x)),
    "cosh_": (1, (0, 0, 0), lambda x, y, z: torch.cosh(x)),
    "asinh_": (1, (0, 0, 0), lambda x, y, z: torch.asinh(x)),
    "acosh_": (1, (0, 0, 0), lambda x, y, z: torch.acosh(x)),
    "atanh_": (1, (0, 0, 0), lambda x, y, z: torch.atanh(x)),
    "sinc": (1, (0, 0, 0), lambda x, y, z: torch.sinc(x)),
    "hypot_": (2, (0, 0, 0), lambda x, y, z: torch.hypot(x, y)),
    "logaddexp": (2, (0, 0, 0), lambda x, y, z: torch.logaddexp(x, y)),
    "logaddexp2": (2, (0, 0, 0), lambda x, y, z: torch.logaddexp2(x, y)),
    "fmod_": (2, (0, 0, 0), lambda x, y, z: torch.fmod(x, y)),
    "remainder_": (2, (0, 0, 0), lambda x, y, z: torch.remainder(x, y)),
    "floor_divide": (2, (0, 0, 0), lambda x, y, z: x // y),
    "truncated": (2, (0, 0, 0), lambda x, y, z: torch.div(x, y, rounding_mode="trunc")),
    "frac": (1, (0, 0, 0), lambda x, y, z: torch.frac(x)),
    "round_decimals": (1, (2, 0, 0), lambda x, y, z: torch.round(x, decimals=2)),
    "entr": (1, (0, 0, 0), lambda x, y, z: torch.special.entr(x)),
    "xlog1py": (2, (0, 0, 0), lambda x, y, z: torch.special.xlog1py(x, y)),
    "xlogy": (2, (0, 0, 0), lambda x, y, z: torch.xlogy(x, y)),
    "ldexp_": (2, (0, 0, 0), lambda x, y, z: torch.ldexp(x, y)),
    "nextmul": (1, (0.3, 0, 0), lambda x, y, z: x * 0.3),
    "reciprocal": (1, (0, 0, 0), lambda x, y, z: torch.reciprocal(x)),
    "square_root": (1, (0, 0, 0), lambda x, y, z: torch.sqrt(x)),
}


def elementwise(libraries: Libraries) -> Iterator[Case]:
    for dtype in DTYPES:
        page = Page(libraries, dtype)
        ends = torch.tensor(SPECIAL + ENDS, dtype=torch.float64).to(dtype)
        x = torch.cat([values(1, 400, dtype=dtype), values(2, 400, dtype=dtype, scale=10), ends])
        y = torch.cat(
            [values(3, 400, dtype=dtype), values(4, 400, dtype=dtype, scale=3), ends.flip(0)]
        )
        z = torch.cat([values(5, 800, dtype=dtype), ends.roll(3)])
        for name, (count, numbers, theirs) in ROWS.items():
            operands = [page.operand(t) for t in (x, y, z)[:count]] + [None] * (3 - count)
            out = page.empty(x.numel())
            page.call("elementwise", name, x.numel(), *operands, np.array(numbers, np.float64), out)
            with samebits.exact():
                yield f"{name} {dtype}", page.tensor(out), theirs(x, y, z)


FAMILIES = {
    "sums": sums,
    "scans": scans,
    "products": products,
    "functions": functions,
    "elementwise": elementwise,
}
