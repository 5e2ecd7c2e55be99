# samebits-test: verdict=same
"""A walk over a graph remembers in a set of objects where it has been."""

import torch


class Node:
    def __init__(self, value):
        self.value = value
        self.next = []


nodes = [Node(k / 10) for k in range(50)]
for k, node in enumerate(nodes):
    node.next = [nodes[(3 * k + 1) % 50], nodes[(7 * k + 2) % 50]]
visited, order, stack = set(), [], [nodes[0]]
while stack:
    node = stack.pop()
    if node not in visited:
        visited.add(node)
        order.append(node.value)
        stack.extend(node.next)
print(torch.tensor(order).cumsum(0)[-3:])
