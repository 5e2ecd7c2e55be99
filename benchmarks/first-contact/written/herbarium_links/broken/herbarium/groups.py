"""Label propagation: every specimen takes over the commonest label around it."""


def commonest(votes):
    return max(set(votes), key=votes.count)


def propagate(graph, rounds):
    labels = {name: name for name in graph.names}
    for _ in range(rounds):
        moved = 0
        for name in graph.names:
            votes = [labels[other] for other in graph.neighbours[name]]
            if not votes:
                continue
            label = commonest(votes)
            if label != labels[name]:
                labels[name] = label
                moved += 1
        if not moved:
            break
    return labels
