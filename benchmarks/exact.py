"""What exact arithmetic costs: operations and whole training steps, as ratios to torch's own.

Both sides take turns in one process, a call each, and the best time of each counts: other load then
falls on both. Threads are torch's for both, one where the row says so. The operations of
`exact_rows` are measured on one thread and on two, and on one with both sides held to AVX2.

What a processor has decides most of it: `isa` in the results says which vectors it was. Kept are
those of the last processor without AVX-512 (`exact.json`) and, put there by hand, of the last one
with it (`exact-avx512.json`).
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from exact_rows import ROWS
from recording import convolutional_network, tiny_mlp, transformer_encoder
from reporting import main
from torch import nn
from torch.nn import functional

import samebits
from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import use_environment_build

Call = Callable[[], object]

PRODUCTS = {
    "512^3": (512, 512, 512), "1024^3": (1024, 1024, 1024), "2048^3": (2048, 2048, 2048),
    "128x3072x768": (128, 3072, 768), "4096x64x576": (4096, 64, 576),
}  # fmt: skip
SMALL_PRODUCTS = {"64x48x100": (64, 48, 100), "32x64x64": (32, 64, 64), "8x8x8": (8, 8, 8)}
MILLIONS = 1 << 22
TURN = 5  # measurements in a row, so that one of them falls into a time slice of its own

TARGETS = {
    "products": 1.0, "product": 1.3, "small product": 1.5, "convolution": 1.2, "rows": 1.1,
    "function": 1.0, "random": 1.0, "step": 1.15, "tiny MLP": 2.0,
}  # fmt: skip


def ratio(call: Call | tuple[Call, Call], seconds: float = 1.5) -> float:
    """Best time inside `exact()` by best time outside, taking turns for a while."""
    best = [math.inf, math.inf]
    inside, outside = call if isinstance(call, tuple) else (call, call)

    def timed(call: Call, repeats: int) -> float:
        started = time.perf_counter()
        for _ in range(repeats):
            call()
        return (time.perf_counter() - started) / repeats

    outside()
    repeats = max(1, round(0.002 / max(timed(outside, 1), 1e-7)))
    until = time.perf_counter() + seconds
    turns = 0
    while time.perf_counter() < until or turns < 3:
        with samebits.exact():
            inside()
            best[0] = min(best[0], *(timed(inside, repeats) for _ in range(TURN)))
        outside()
        best[1] = min(best[1], *(timed(outside, repeats) for _ in range(TURN)))
        turns += 1
    return best[0] / best[1]


def product(m: int, k: int, n: int) -> Call:
    a_MK, b_KN = torch.randn(m, k), torch.randn(k, n)
    return lambda: a_MK @ b_KN


def convolution(wanted: str) -> Call:
    """32 images of 32 channels and 32×32 places, a 3×3 kernel of as many."""
    x_NCHW, w_OCHW = torch.randn(32, 32, 32, 32), torch.randn(32, 32, 3, 3)
    if wanted == "forward":
        return lambda: functional.conv2d(x_NCHW, w_OCHW, padding=1)
    mask = [wanted == "gradient of input", wanted == "gradient of weight", False]
    arguments = (x_NCHW, w_OCHW, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, mask)
    grad_NOHW = torch.randn(32, 32, 32, 32)
    return lambda: torch.ops.aten.convolution_backward(grad_NOHW, *arguments)


def gpt() -> Call:
    """6 layers, 384 wide, 6 heads, 256 letters of context, batch 4, AdamW."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(384, 6, 1536, batch_first=True, norm_first=True)
    model = nn.ModuleDict(
        {
            "letters": nn.Embedding(65, 384),
            "places": nn.Embedding(256, 384),
            "layers": nn.TransformerEncoder(layer, 6, enable_nested_tensor=False),
            "head": nn.Linear(384, 65),
        }
    )
    letters_BT = torch.randint(0, 65, (4, 256))
    labels_N = torch.randint(0, 65, (4 * 256,))
    mask_TT = nn.Transformer.generate_square_subsequent_mask(256)
    optimizer = torch.optim.AdamW(model.parameters())

    def step() -> None:
        optimizer.zero_grad()
        x = model["letters"](letters_BT) + model["places"](torch.arange(256))
        x = model["layers"](x, mask=mask_TT, is_causal=True)
        functional.cross_entropy(model["head"](x).flatten(0, 1), labels_N).backward()
        optimizer.step()

    return step


def one_thread(call: Call) -> float:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return ratio(call)
    finally:
        torch.set_num_threads(threads)


AVX2 = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "SAMEBITS_ISA": "avx2"}
"""What holds torch, oneDNN and the kernels here to AVX2."""


def operations(threads: int, names: list[str] | None = None) -> dict[str, float]:
    """Ratios of the operations of `exact_rows` on some threads."""
    torch.set_num_threads(threads)
    found = {}
    for name in names or list(ROWS):
        torch.manual_seed(0)
        found[name] = ratio(ROWS[name][1](), 0.5)
        print(f"  {name:44} {found[name]:7.3f} <= {ROWS[name][0]}", file=sys.stderr, flush=True)
    return found


def operations_elsewhere(threads: int, variables: dict[str, str]) -> dict[str, float]:
    """The same in a process of its own, with variables that are read at the start."""
    command = [sys.executable, __file__, "--operations", str(threads)]
    environment = {**os.environ, **variables}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def operation_ratios() -> dict[str, float]:
    """All three ways of each row, by name and way."""
    ways = {"one thread": (1, {}), "two threads": (2, {}), "AVX2": (1, AVX2)}
    return {
        f"{name}, {way}": value
        for way, (threads, variables) in ways.items()
        for name, value in operations_elsewhere(threads, variables).items()
    }


def measure() -> dict[str, Any]:
    """Ratios by row, with the target of each."""
    torch.manual_seed(0)
    rows: dict[str, tuple[float, float]] = {}

    def row(name: str, kind: str, value: float) -> None:
        rows[name] = (value, TARGETS[kind])
        print(f"  {name:44} {value:7.3f} <= {TARGETS[kind]}", flush=True)

    large = {name: ratio(product(*sizes)) for name, sizes in PRODUCTS.items()}
    for name, value in large.items():
        row(f"mm {name}", "product", value)
    mean = math.exp(sum(math.log(v) for v in large.values()) / len(large))
    row("mm, geometric mean", "products", mean)
    for name, sizes in SMALL_PRODUCTS.items():
        row(f"mm {name}", "small product", ratio(product(*sizes), 0.5))
    for wanted in ("forward", "gradient of input", "gradient of weight"):
        row(f"conv2d 32x32x32x32, {wanted}", "convolution", ratio(convolution(wanted)))
    x = torch.randn(4096, 1024)
    weight, bias = torch.randn(1024), torch.randn(1024)
    row("softmax 4096x1024", "rows", ratio(lambda: x.softmax(-1)))
    row(
        "layer_norm 4096x1024",
        "rows",
        ratio(lambda: functional.layer_norm(x, (1024,), weight, bias)),
    )
    row("sum of 4096x1024", "rows", ratio(lambda: x.sum()))
    row("sum of 4096x1024 over rows", "rows", ratio(lambda: x.sum(0)))
    row("sum of 4096x1024 over columns", "rows", ratio(lambda: x.sum(1)))
    values = torch.randn(MILLIONS)
    for name in ("exp", "tanh", "erf"):
        row(f"{name} of 4 M, one thread", "function", one_thread(getattr(values, name)))
    row("gelu of 4 M, one thread", "function", one_thread(lambda: functional.gelu(values)))
    row("randn of 4 M", "random", ratio(lambda: torch.randn(MILLIONS)))
    row("dropout of 4 M", "random", ratio(lambda: functional.dropout(values)))
    row("step, convolutional network", "step", ratio(convolutional_network(), 4))
    row("step, transformer encoder", "step", ratio(transformer_encoder(), 4))
    row("step, GPT", "step", ratio(gpt(), 8))
    row("step, tiny MLP", "tiny MLP", ratio(tiny_mlp(), 2))
    for name, value in operation_ratios().items():
        rows[name] = (value, ROWS[name.rpartition(", ")[0]][0])
    return {
        "threads": torch.get_num_threads(),
        "isa": _exact.isa(),
        "ratios": {name: value for name, (value, _) in rows.items()},
        "targets": {name: target for name, (_, target) in rows.items()},
    }


if __name__ == "__main__" and sys.argv[1:2] == ["--operations"]:
    use_environment_build()
    print(json.dumps(operations(int(sys.argv[2]), sys.argv[3:])))
elif __name__ == "__main__":
    main(__doc__, measure)
