"""A constructed agglutinating language: verbs, their paradigms, and the encoding for the inflection model.

Morphophonology: suffix vowels harmonize with the last vowel of the stem (A: a/e, I: u/i), a final stop is voiced before a
vowel, and a glide separates two vowels.
"""

import numpy as np
import torch

CONSONANTS = "ptkbdgmnlrsv"
CODAS = "ptknlrs"
BACK, FRONT = "aou", "eiy"
VOICED = {"p": "b", "t": "d", "k": "g"}

TENSES = {"PRS": "Ir", "PST": "dI", "FUT": "AcAk"}
PERSONS = {"1SG": "Im", "2SG": "sIn", "3SG": "", "1PL": "mIz", "3PL": "lAr"}

PAD, BOS, EOS = 0, 1, 2
ALPHABET = sorted(set(CONSONANTS + BACK + FRONT + "cjz"))
CODES = {letter: code for code, letter in enumerate(ALPHABET, start=3)}
LETTERS = {code: letter for letter, code in CODES.items()}
VOCABULARY = 3 + len(ALPHABET)
TENSE_CODES = {tense: code for code, tense in enumerate(TENSES)}
PERSON_CODES = {person: code for code, person in enumerate(PERSONS)}

LEXICON_SEED = 1911  # the lexicon is a resource; it is the same for all experiments


def make_stems(count):
    rng = np.random.default_rng(LEXICON_SEED)
    stems = {}
    while len(stems) < count:
        vowels = BACK if rng.random() < 0.5 else FRONT
        stem = ""
        for _ in range(int(rng.integers(1, 4))):
            stem += CONSONANTS[rng.integers(len(CONSONANTS))] + vowels[rng.integers(3)]
        if rng.random() < 0.7:
            stem += CODAS[rng.integers(len(CODAS))]
        stems[stem] = None
    return list(stems)


def _attach(stem, suffix):
    if not suffix:
        return stem
    last_vowel = next(letter for letter in reversed(stem) if letter in BACK + FRONT)
    a, i = ("a", "u") if last_vowel in BACK else ("e", "i")
    surface = suffix.replace("A", a).replace("I", i)
    if surface[0] in BACK + FRONT:
        if stem[-1] in BACK + FRONT:
            surface = "j" + surface
        elif stem[-1] in VOICED:
            stem = stem[:-1] + VOICED[stem[-1]]
    return stem + surface


def inflect(stem, tense, person):
    return _attach(_attach(stem, TENSES[tense]), PERSONS[person])


def paradigm_pairs(stems):
    """All (stem, tense, person, form) of the lexicon."""
    return [
        (stem, tense, person, inflect(stem, tense, person)) for stem in stems for tense in TENSES for person in PERSONS
    ]


def split_pairs(pairs, train, dev, rng):
    order = rng.permutation(len(pairs))
    chosen = [pairs[index] for index in order[: train + dev]]
    return chosen[:train], chosen[train:]


def _padded(rows):
    width = max(len(row) for row in rows)
    return torch.tensor([row + [PAD] * (width - len(row)) for row in rows])


def encode(pairs):
    """Tensors of a list of pairs: source letters, tags, decoder input and decoder target."""
    source = _padded([[CODES[letter] for letter in stem] for stem, _, _, _ in pairs])
    forms = [[CODES[letter] for letter in form] for _, _, _, form in pairs]
    tags = torch.tensor([[TENSE_CODES[tense], PERSON_CODES[person]] for _, tense, person, _ in pairs])
    return source, tags, _padded([[BOS] + form for form in forms]), _padded([form + [EOS] for form in forms])


def spell(codes):
    word = ""
    for code in codes:
        if code == EOS:
            break
        word += LETTERS.get(code, "?")
    return word
