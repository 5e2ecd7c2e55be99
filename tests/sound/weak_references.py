# samebits-test: verdict=same
"""A WeakSet of listeners is counted, a WeakKeyDictionary asked by object."""

import weakref

import torch


class Listener:
    pass


listeners = [Listener() for _ in range(10)]
living = weakref.WeakSet(listeners)
weight = weakref.WeakKeyDictionary((one, k / 10) for k, one in enumerate(listeners))
print(torch.tensor([weight[one] for one in listeners]).mul(len(living)).cumsum(0)[-1])
