"""Each word is a sequence of three tones, spoken at a speaker's pitch and pace."""
import numpy as np
import torch

import noise

RATE = 4000
TONES = np.array([220.0, 330.0, 440.0, 620.0, 800.0])


def word_tones(word):
    rng = np.random.default_rng([31, word])
    return TONES[rng.choice(len(TONES), 3, replace=False)]


def utterance(word, rng):
    pitch = rng.uniform(0.93, 1.07)
    cuts = np.sort(rng.uniform(0.25, 0.75, 2)) * RATE
    t = np.arange(RATE)
    part = (t[:, None] > cuts).sum(1)
    freq = word_tones(word)[part] * pitch
    wave = np.sin(2 * np.pi * np.cumsum(freq) / RATE)
    wave *= 0.4 + 0.6 * np.sin(np.pi * t / RATE)
    return wave + rng.normal(0, 0.25, RATE)


def utterances(n, words, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, words, n)
    waves = np.stack([utterance(int(w), rng) for w in labels]).astype(np.float32)
    return noise.hum(torch.from_numpy(waves), RATE), torch.from_numpy(labels)
