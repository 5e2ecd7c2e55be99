"""Self-play for a small Connect Four (5 columns, 4 rows, three in a row wins)."""
import argparse
import json
import time
from pathlib import Path

import torch

from board import Board
from net import PolicyValue, encode
from search import Search


def play(search, net, sample_until, generator):
    """One game against itself; returns (planes, visit shares, outcome) per position."""
    board, trail = Board(), []
    while not board.over():
        shares = search.run(board, net)
        trail.append((encode(board), shares, board.to_move))
        if len(trail) <= sample_until:
            move = int(torch.multinomial(shares, 1, generator=generator))
        else:
            move = int(shares.argmax())
        board = board.play(move)
    winner = board.winner()
    return [(x, p, float(winner * who)) for x, p, who in trail], winner


def train(net, opt, positions, generator, epochs=6, size=16):
    planes = torch.stack([x for x, _, _ in positions])
    shares = torch.stack([p for _, p, _ in positions])
    results = torch.tensor([z for _, _, z in positions])
    total = 0.0
    for _ in range(epochs):
        for pick in torch.randperm(len(results), generator=generator).split(size):
            logits, value = net(planes[pick])
            policy_loss = -(shares[pick] * logits.log_softmax(1)).sum(1).mean()
            loss = policy_loss + (value - results[pick]).square().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total = loss.item()
    return total


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--iterations", type=int, default=2)
    ap.add_argument("--games", type=int, default=6)
    ap.add_argument("--simulations", type=int, default=60)
    ap.add_argument("--move-seconds", type=float, default=0.002)
    ap.add_argument("--seed", type=int, default=3)
    a = ap.parse_args()
    torch.manual_seed(a.seed)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(a.seed + 1)
    net = PolicyValue()
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    search = Search(a.simulations, a.move_seconds, noise=torch.Generator().manual_seed(a.seed + 2))
    out = Path("selfplay")
    out.mkdir(exist_ok=True)

    records, history = [], []
    for iteration in range(a.iterations):
        began = time.monotonic()
        net.eval()
        tally = {1: 0, 0: 0, -1: 0}
        positions = []
        for _ in range(a.games):
            game, winner = play(search, net, sample_until=4, generator=generator)
            positions += game
            tally[winner] += 1
        net.train()
        loss = train(net, opt, positions, generator)
        records += positions
        history.append({"positions": len(positions), "loss": loss, "first": tally[1],
                        "draws": tally[0], "second": tally[-1]})
        print(f"iteration {iteration}: {len(positions)} positions, "
              f"+{tally[1]} ={tally[0]} -{tally[-1]}, loss {loss:.6f}")
        print(f"  log: {time.monotonic() - began:.1f} s, {search.report()}")

    with torch.no_grad():
        logits, value = net(encode(Board())[None])
    print("opening", [round(p, 4) for p in logits.softmax(1)[0].tolist()], f"{value.item():+.4f}")
    torch.save(net.state_dict(), out / "net.pt")
    torch.save({"x": torch.stack([r[0] for r in records]),
                "p": torch.stack([r[1] for r in records])}, out / "games.pt")
    (out / "history.json").write_text(json.dumps(history, indent=1))


if __name__ == "__main__":
    main()
