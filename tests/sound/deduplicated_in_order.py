# samebits-test: verdict=same
"""dict.fromkeys keeps the first of each name, in their order."""

import torch

TEXT = "to be or not to be that is the question"

words = TEXT.split()
vocabulary = list(dict.fromkeys(words))
torch.manual_seed(0)
table = torch.randn(len(vocabulary), 3)
print(table[[vocabulary.index(word) for word in words]].sum(dim=0))
