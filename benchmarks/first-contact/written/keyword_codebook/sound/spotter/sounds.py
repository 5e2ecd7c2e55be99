"""Synthetic keywords: a few gliding formants each, with a speaker's pitch and noise."""
import numpy as np

RATE = 8000
KEYWORDS = {
    "up": [(300, 700), (900, 1600)],
    "down": [(800, 350), (1500, 800)],
    "left": [(500, 520), (1900, 1500)],
    "right": [(700, 400), (1100, 2100)],
    "stop": [(600, 600), (1200, 1000)],
}


def utter(word, rng, seconds=0.4):
    t = np.arange(int(RATE * seconds)) / RATE
    speaker = rng.uniform(0.85, 1.2)
    wave = np.zeros_like(t)
    for begin, end in KEYWORDS[word]:
        hertz = speaker * (begin + (end - begin) * t / seconds)
        wave += np.sin(2 * np.pi * np.cumsum(hertz) / RATE + rng.uniform(0, 6.28))
    wave *= np.hanning(len(t)) * rng.uniform(0.5, 1.0)
    return (wave + rng.normal(0, 0.25, len(t))).astype(np.float32)


def corpus(per_word, seed):
    rng = np.random.default_rng(seed)
    words = sorted(KEYWORDS)
    waves, labels = [], []
    for _ in range(per_word):
        for label, word in enumerate(words):
            waves.append(utter(word, rng))
            labels.append(label)
    return np.stack(waves), np.array(labels)
