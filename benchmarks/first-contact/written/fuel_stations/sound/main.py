"""Price elasticity of fuel demand from eight weeks of till exports."""
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import torch

from demand import Demand, elasticity, to_tensors, train
from records import write_exports
from warehouse import describe, enrich, load_sales

SEED = 77


def run(epochs: int) -> None:
    torch.manual_seed(SEED)
    pa.set_cpu_count(4)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "exports"
        write_exports(folder, SEED)
        table = enrich(load_sales(folder), folder)
    print(describe(table))

    x, grade, y, day = to_tensors(table)
    past = day < 49
    model = Demand(x.shape[1], x[past].double().mean(0).float(), x[past].double().std(0).float())
    train(model, x[past], grade[past], y[past], epochs)

    model.eval()
    with torch.no_grad():
        error = (model(x[~past], grade[~past]) - y[~past]).abs().mean().item()
    print(f"last week: mean absolute error {error:.5f} litres")
    for code, name in enumerate(("E5", "E10", "diesel")):
        rows = (~past) & (grade == code)
        print(f"  elasticity {name:7s} {elasticity(model, x[rows], grade[rows]):+.5f}")
    torch.save(model.state_dict(), "demand.pt")


if __name__ == "__main__":
    run(int(sys.argv[1]) if len(sys.argv) > 1 else 8)
