"""Stand-in for the archive's export: short cables, each tagged by four readers."""
import random

POSTS = ["ANKARA", "BOGOTA", "CAIRO", "DAKAR", "HELSINKI", "LIMA", "MANILA", "OTTAWA", "RABAT", "SEOUL"]
TAGS = {
    "TRADE": "tariff quota export steel grain shipment customs duty market textile subsidy port",
    "ARMS": "frigate missile exercise border brigade radar embargo ammunition treaty airfield pilot inspection",
    "CONSULAR": "passport visa detainee citizen airport repatriation family marriage notary hospital widow tourist",
    "CULTURE": "orchestra exhibition scholar library museum festival film lecture fellowship choir painter translation",
    "ENERGY": "pipeline refinery barrel reactor drilling turbine tanker concession dam outage coal uranium",
}
COMMON = ("minister embassy meeting request informed government press ambassador confirmed visit official "
          "delegation proposed reply week urgent source believes comment summary").split()


def write_cables(count, seed):
    rng = random.Random(seed)
    vocabulary = {tag: words.split() for tag, words in TAGS.items()}
    tags = list(TAGS)
    for number in range(count):
        tag = rng.choice(tags)
        neighbour = rng.choice(tags)
        words = []
        for _ in range(rng.randint(18, 40)):
            draw = rng.random()
            if draw < 0.16:
                words.append(rng.choice(vocabulary[tag]))
            elif draw < 0.26:
                words.append(rng.choice(vocabulary[neighbour]))
            else:
                words.append(rng.choice(COMMON))
        votes = []
        for _ in range(4):
            draw = rng.random()
            votes.append(tag if draw < 0.6 else neighbour if draw < 0.8 else rng.choice(tags))
        yield {
            "id": f"{71 + number % 9}{rng.choice(POSTS)}{number:05d}",
            "votes": votes,
            "text": " ".join(words),
        }
