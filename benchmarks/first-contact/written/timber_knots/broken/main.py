"""Grade knots on sawn boards (sound, loose, decayed) from patches cut out of board scans."""
import json
import logging
import time
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch.utils.data import DataLoader
from torchmetrics.classification import MulticlassAccuracy, MulticlassConfusionMatrix
from tqdm.auto import tqdm

from knotnet import KnotNet
from patches import KnotPatches, cut_patches
from scans import GRADES

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
log = logging.getLogger("knots")

cfg = SimpleNamespace(
    seed=5, boards=150, per_board=6, size=32, batch_size=32, epochs=7, lr=3e-3, weight_decay=1e-3,
)


def loop(accelerator, model, optimizer, schedule, loader, epoch):
    model.train()
    total, started = 0.0, time.perf_counter()
    for images, grades in tqdm(loader, desc=f"epoch {epoch}", leave=False, disable=not accelerator.is_main_process):
        loss = F.cross_entropy(model(images), grades)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        total += loss.item()
    log.info("epoch %d: loss %.4f in %.1fs", epoch, total / len(loader), time.perf_counter() - started)


@torch.no_grad()
def evaluate(accelerator, model, loader):
    accuracy, confusion = MulticlassAccuracy(len(GRADES)), MulticlassConfusionMatrix(len(GRADES))
    model.eval()
    for images, grades in loader:
        guesses, grades = accelerator.gather_for_metrics((model(images).argmax(1), grades))
        accuracy.update(guesses, grades)
        confusion.update(guesses, grades)
    return accuracy.compute().item(), confusion.compute().tolist()


def main():
    torch.set_num_threads(1)
    accelerator = Accelerator(cpu=True)
    set_seed(cfg.seed)
    clock = time.perf_counter()
    images, grades, boards = cut_patches(cfg.boards, cfg.per_board, cfg.size, cfg.seed)
    log.info("%d patches ready after %.1fs", len(images), time.perf_counter() - clock)

    last_boards = set(range(int(0.8 * cfg.boards), cfg.boards))  # all patches of a board stay on one side
    is_test = torch.tensor([int(board) in last_boards for board in boards]).numpy()
    train = KnotPatches(images[~is_test], grades[~is_test], augment=True)
    test = KnotPatches(images[is_test], grades[is_test])

    model = KnotNet(len(GRADES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    train_loader = DataLoader(train, cfg.batch_size, shuffle=True)
    test_loader = DataLoader(test, 64)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, cfg.epochs * len(train_loader))
    model, optimizer, train_loader, test_loader, schedule = accelerator.prepare(
        model, optimizer, train_loader, test_loader, schedule
    )
    for epoch in range(1, cfg.epochs + 1):
        loop(accelerator, model, optimizer, schedule, train_loader, epoch)

    accuracy, confusion = evaluate(accelerator, model, test_loader)
    folder = Path("runs") / uuid4().hex[:10]
    folder.mkdir(parents=True)
    accelerator.save(accelerator.unwrap_model(model).state_dict(), folder / "knotnet.pt")
    (folder / "report.json").write_text(json.dumps({"accuracy": accuracy, "confusion": confusion}, indent=2))
    accelerator.print(f"accuracy {accuracy:.4f}, confusion {[[int(n) for n in row] for row in confusion]}")
    log.info("all done in %.1fs", time.perf_counter() - clock)


if __name__ == "__main__":
    main()
