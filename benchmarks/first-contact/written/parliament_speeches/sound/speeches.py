"""Writes a small parliament's speeches to text files, one for each sitting."""
import random

TOPICS = {
    "fisheries": "quota trawler harbour cod mackerel fleet landing nets coast stock catch skipper".split(),
    "health": "hospital nurses waiting clinic patients surgery vaccine doctors wards funding care triage".split(),
    "transport": "railway timetable bridge motorway buses tolls freight ferry station signal fares lanes".split(),
    "schools": "teachers pupils classroom exam curriculum lunches reading inspectors playground tuition maths grant".split(),
    "energy": "grid turbines reactor tariff heating pylons storage solar gas meters supply insulation".split(),
}
SHARED = ("the minister house members motion amendment budget committee report year people government support debate "
          "question answer region council funding cost plan review evidence country bill vote reform policy").split()
OPENINGS = ["mister speaker", "i thank the member", "honourable members", "let me be clear", "with respect"]


def speech(rng, topic):
    others = [t for t in TOPICS if t != topic]
    words = rng.choice(OPENINGS).split()
    for _ in range(rng.randint(18, 40)):
        kind = rng.random()
        if kind < 0.13:
            words.append(rng.choice(TOPICS[topic]))
        elif kind < 0.22:
            words.append(rng.choice(TOPICS[rng.choice(others)]))
        else:
            words.append(rng.choice(SHARED))
    return " ".join(words)


def write_sittings(folder, sittings=30, per_sitting=50, seed=1832):
    rng = random.Random(seed)
    for sitting in range(sittings):
        lines = []
        for _ in range(per_sitting):
            topic = rng.choice(list(TOPICS))
            lines.append(f"{topic}\t{speech(rng, topic)}")
        (folder / f"sitting_{sitting:03d}.tsv").write_text("\n".join(lines) + "\n")


def read_sittings(folder):
    names = list(TOPICS)
    rows = []
    for path in sorted(folder.glob("sitting_*.tsv")):
        for line in path.read_text().splitlines():
            topic, text = line.split("\t")
            rows.append((names.index(topic), text))
    return rows
