# samebits-test: verdict=same
"""Counter.most_common leaves words of one count in the order of their coming."""

from collections import Counter

import torch

TEXT = "a rose is a rose is a rose and so on and on"

words = TEXT.split()
vocabulary = [word for word, _ in Counter(words).most_common()]
torch.manual_seed(0)
print(torch.randn(len(vocabulary), 2)[[vocabulary.index(w) for w in words]].prod(dim=0))
