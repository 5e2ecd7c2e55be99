"""Made-up log entries, in the manner of the 1870s."""
CAUSES = ["storm", "fire", "grounding", "collision", "abandoned"]

SPEECH = {
    "storm": "gale squall topmast carried away heavy seas swept decks rigging parted lightning "
             "bulwarks stove canvas shredded barometer falling".split(),
    "fire": "smoke hold flames cargo coal heating hatches battened steam cotton smouldering "
            "powder burnt charred embers".split(),
    "grounding": "reef shoal struck keel lead fathoms rocks bar sandbank tide ebb kedge anchor "
                 "leadsman soundings breakers".split(),
    "collision": "fog bell steamer lights port bow crushed stem barque schooner rammed lookout "
                 "whistle starboard quarter".split(),
    "abandoned": "leak pumps gained water boats lowered provisions captain ordered exhausted "
                 "crew waterlogged signals rescued drifting".split(),
}
COMMON = ("ship vessel morning evening night wind course sail mate watch bearing latitude "
          "longitude island cape noon weather passage bound port days hands").split()
ONSETS = "br cr st th sk gl dr fl pr w m n k l".split()
ENDS = "ona ella ford wick aven anne ister ury oden alia".split()


def ship_name(rng):
    return rng.choice(ONSETS) + rng.choice("aeiou") + rng.choice(ENDS)


def write_entry(cause, rng):
    words = ["the", ship_name(rng), "of", ship_name(rng)]
    for _ in range(rng.randint(6, 14)):
        draw = rng.random()
        if draw < 0.30:
            words.append(rng.choice(SPEECH[cause]))
        elif draw < 0.45:
            words.append(rng.choice(SPEECH[rng.choice(CAUSES)]))
        elif draw < 0.80:
            words.append(rng.choice(COMMON))
        else:
            words.append(rng.choice(["at", "and", "upon", "with", "we", "was"]))
    return " ".join(words)


def write_entries(n, rng):
    entries = []
    for _ in range(n):
        cause = rng.choices(CAUSES, weights=[5, 2, 4, 3, 2])[0]
        entries.append((write_entry(cause, rng), cause))
    return entries
