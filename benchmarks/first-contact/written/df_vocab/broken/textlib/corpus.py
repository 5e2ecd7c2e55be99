import random

TOPICS = ("sport", "money", "food", "music")


def word(rnd):
    return "".join(rnd.choice("bcdfglmnprst") + rnd.choice("aeiou") for _ in range(rnd.randint(1, 4)))


def make_corpus(documents, seed):
    rnd = random.Random(seed)
    common = [word(rnd) for _ in range(150)]
    special = {topic: [word(rnd) for _ in range(120)] for topic in TOPICS}
    out = []
    for _ in range(documents):
        topic = rnd.randrange(len(TOPICS))
        words = [rnd.choice(special[TOPICS[topic]]) if rnd.random() < 0.3 else rnd.choice(common)
                 for _ in range(rnd.randint(15, 60))]
        out.append((" ".join(words), topic))
    return out
