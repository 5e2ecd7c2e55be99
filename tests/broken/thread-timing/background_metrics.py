# samebits-test: verdict=different cause=thread-timing|control-flow
"""Training goes on for as long as a thread in the background still works."""

import threading

import torch

torch.manual_seed(0)
w = torch.ones(5)
corpus = " ".join(str(k) for k in range(100_000))


def count_words():
    counts = {}
    for word in corpus.split():
        counts[word] = counts.get(word, 0) + 1


for _ in range(6):
    counter = threading.Thread(target=count_words)
    counter.start()  # culprit
    while counter.is_alive():  # culprit
        w = 0.99 * w + 0.01 * w.sin()
print(w)
