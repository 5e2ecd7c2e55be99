import json
import random

TEAMS = ("billing", "network", "accounts", "hardware", "feedback")
TOPICS = {
    "billing": "invoice refund charge card payment price tax receipt discount".split(),
    "network": "router timeout latency dns packet vpn signal proxy outage".split(),
    "accounts": "password login locked email reset profile token username merge".split(),
    "hardware": "screen battery cable fan noise dock keyboard port broken".split(),
    "feedback": "love idea suggest layout colour thanks confusing wish nice".split(),
}
FILLER = "the a my please since yesterday again it is not and when I we after update help on to with".split()


def write_corpus(folder, count, seed, per_file=90):
    """A JSON-lines file per day of tickets."""
    folder.mkdir(parents=True)
    rng = random.Random(seed)
    for day in range((count + per_file - 1) // per_file):
        with open(folder / f"day-{day:03d}.jsonl", "w") as out:
            for k in range(day * per_file, min(count, (day + 1) * per_file)):
                team = rng.choice(TEAMS)
                words = [rng.choice(TOPICS[team]) if rng.random() < 0.2 else
                         rng.choice(TOPICS[rng.choice(TEAMS)]) if rng.random() < 0.25 else
                         rng.choice(FILLER) for _ in range(rng.randint(6, 30))]
                out.write(json.dumps({"id": k, "team": team, "text": " ".join(words)}) + "\n")
