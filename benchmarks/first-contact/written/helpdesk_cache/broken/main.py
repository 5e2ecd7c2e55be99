"""Route support tickets to a team: bag-of-embeddings classifier with a cache of token ids."""
import argparse
import json
import logging
import pathlib
import shutil
import tempfile
import time

import torch
from torch.utils.data import DataLoader

from triage.cache import TokenCache
from triage.corpus import TEAMS, write_corpus
from triage.model import TicketNet, collate
from triage.vocab import Vocabulary

logger = logging.getLogger("triage")


def cli():
    ap = argparse.ArgumentParser()
    ap.add_argument("--tickets", type=int, default=1800)
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--dim", type=int, default=24)
    ap.add_argument("--lr", type=float, default=0.02)
    ap.add_argument("--seed", type=int, default=5)
    ap.add_argument("--max-age-hours", type=float, default=24.0)
    ap.add_argument("--keep-scratch", action="store_true")
    return ap.parse_args()


def accuracy_by_team(model, loader):
    hits, seen = torch.zeros(len(TEAMS)), torch.zeros(len(TEAMS))
    model.eval()
    with torch.no_grad():
        for ids, offsets, label in loader:
            ok = (model(ids, offsets).argmax(1) == label).float()
            hits.index_add_(0, label, ok)
            seen.index_add_(0, label, torch.ones_like(ok))
    model.train()
    return dict(zip(TEAMS, (hits / seen.clamp(min=1)).tolist()))


def main():
    opt = cli()
    logging.basicConfig(level="INFO", format="[%(relativeCreated)7.0f ms] %(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(opt.seed)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="triage-"))
    logger.info("scratch folder %s", scratch)
    try:
        raw = scratch / "raw"
        write_corpus(raw, opt.tickets, opt.seed)
        vocab = Vocabulary.from_folder(raw, min_count=2)
        cache = TokenCache(scratch / "cache", vocab, max_age=opt.max_age_hours * 3600)
        if cache.stale(raw):
            began = time.time()
            n = cache.build(raw)
            logger.info("tokenised %d tickets in %.2f s", n, time.time() - began)
        examples = cache.load()

        held_out = len(examples) // 6
        test, train = examples[:held_out], examples[held_out:]
        loader = DataLoader(train, batch_size=32, shuffle=True, collate_fn=collate,
                            generator=torch.Generator().manual_seed(opt.seed))
        test_loader = DataLoader(test, batch_size=128, collate_fn=collate)

        model = TicketNet(len(vocab), opt.dim, len(TEAMS))
        optimizer = torch.optim.Adagrad(model.parameters(), lr=opt.lr)
        report = {"vocabulary": len(vocab), "train": len(train), "epochs": []}
        for epoch in range(opt.epochs):
            total, started = 0.0, time.perf_counter()
            for ids, offsets, label in loader:
                loss = torch.nn.functional.cross_entropy(model(ids, offsets), label, label_smoothing=0.05)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(label)
            teams = accuracy_by_team(model, test_loader)
            report["epochs"].append({"loss": total / len(train), "accuracy": teams})
            logger.info("epoch %d: loss %.4f, mean accuracy %.3f, %.0f tickets/s", epoch, total / len(train),
                        sum(teams.values()) / len(teams), len(train) / (time.perf_counter() - started))

        torch.save(model.state_dict(), "ticket_net.pt")
        pathlib.Path("report.json").write_text(json.dumps(report, indent=2))
    finally:
        if not opt.keep_scratch:
            shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
