import argparse

import torch

from plucks import PluckSet
from training import Curriculum, Trainer, build_model, test_error


def parse():
    p = argparse.ArgumentParser(description="How far off is a plucked zither string, in cents?")
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--plucks", type=int, default=1600)
    p.add_argument("--batch", type=int, default=16)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--seed", type=int, default=6)
    return p.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    curriculum = Curriculum(hardest=0.6, epochs=args.epochs)
    train = PluckSet(args.plucks, seed=args.seed, noise=curriculum.noise)
    loader = torch.utils.data.DataLoader(
        train, batch_size=args.batch, shuffle=True, num_workers=args.workers,
        persistent_workers=True, multiprocessing_context="fork")

    trainer = Trainer(build_model(), loader, curriculum, lr=args.lr)
    for epoch in range(args.epochs):
        loss, noise = trainer.epoch(epoch)
        print(f"epoch {epoch + 1}  noise {noise:.3f}  loss {loss:.6f}")

    for noise in (0.0, 0.3, 0.6):
        held_out = PluckSet(300, seed=args.seed + 1, noise=noise)
        print(f"noise {noise:.1f}: off by {test_error(trainer.model, held_out):.4f} cents")
    torch.save(trainer.model.state_dict(), "tuner.pt")


if __name__ == "__main__":
    main()
