"""Echo soundings of a lake: cut the survey lines into windows, write shards, train a bottom classifier on them."""
import shutil
import tempfile
from pathlib import Path

import typer
from bottom import BottomNet, evaluate, train
from shards import ShardReader, write_shards
from survey import survey_lines

import numpy as np
import torch


def run(
    lines: int = typer.Option(30, help="survey lines"),
    per_line: int = typer.Option(60, help="pings of a line"),
    epochs: int = 6,
    seed: int = 61,
    out: Path = Path("bottom_map"),
):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    out.mkdir(exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="soundings-"))
    try:
        count = write_shards(scratch, survey_lines(lines, per_line, rng))
        reader = ShardReader(scratch)
        typer.echo(f"{count} shards, {len(reader)} pings")
        train_set, test_set = reader.split(0.8)
    finally:
        shutil.rmtree(scratch)

    model = BottomNet()
    for epoch, loss in enumerate(train(model, *train_set, epochs=epochs, batch=40)):
        typer.echo(f"epoch {epoch} loss {loss:.6f}")
    accuracy, confusion = evaluate(model, *test_set)
    typer.echo(f"accuracy {accuracy:.4f}")
    typer.echo(confusion)
    np.savetxt(out / "confusion.txt", confusion, fmt="%d")
    torch.save(model.state_dict(), out / "bottom.pt")


if __name__ == "__main__":
    typer.run(run)
