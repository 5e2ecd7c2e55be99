"""How many cents is the tierce of a bell off? Learns it from recorded strikes."""
import argparse
import json
import logging
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm

import foundry
import tower
from tuner import Tuner, error_in_cents, spectra, train_epoch


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--strikes", type=int, default=1800)
    parser.add_argument("--epochs", type=int, default=7)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("out"))
    return parser.parse_args()


def gather(args):
    with tempfile.TemporaryDirectory(prefix="tower-") as folder:
        files, table = foundry.record(Path(folder), args.strikes, args.seed)
        strikes = tower.read_all(files)
    assert set(name for name, _ in strikes) <= set(table)
    waves = torch.tensor(np.stack([wave for _, wave in strikes]))
    bells = torch.tensor([table[name][0] for name, _ in strikes])
    cents = torch.tensor([table[name][1] for name, _ in strikes], dtype=torch.float32)
    return TensorDataset(spectra(waves), bells, cents)


def main():
    args = options()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s")
    args.out.mkdir(exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    began = time.time()

    dataset = gather(args)
    print(f"{len(dataset)} strikes of {len(foundry.BELLS)} bells, {time.strftime('%d %B %Y')}")
    held = len(dataset) // 5
    train, test = random_split(dataset, [len(dataset) - held, held], torch.Generator().manual_seed(args.seed))
    train_loader = DataLoader(train, args.batch, shuffle=True, drop_last=True)
    test_loader = DataLoader(test, 256)

    model = Tuner(len(foundry.BELLS))
    model(*dataset[:2][:2])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=args.epochs)
    rows = []
    for epoch in tqdm(range(args.epochs), unit="epoch"):
        loss = train_epoch(model, train_loader, optimizer)
        schedule.step()
        rows.append({"epoch": epoch, "loss": loss, "cents": error_in_cents(model, test_loader)})
        tqdm.write(f"epoch {epoch}: loss {loss:.5f}, off by {rows[-1]['cents']:.3f} cents")

    torch.save(model.state_dict(), args.out / "tuner.pt")
    report = {"epochs": rows, "cents": rows[-1]["cents"], "minutes": (time.time() - began) / 60}
    (args.out / "report.json").write_text(json.dumps(report, indent=2))
    print(f"tierce error {report['cents']:.4f} cents; took {time.time() - began:.1f} s")


if __name__ == "__main__":
    main()
