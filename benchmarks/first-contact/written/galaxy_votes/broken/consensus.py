"""One label per galaxy from several votes."""


def majority(votes):
    return max(set(votes), key=votes.count)


def aggregate(all_votes):
    """Majority labels, and the share of galaxies on which everybody agreed."""
    labels = [majority(votes) for votes in all_votes]
    unanimous = sum(len(set(votes)) == 1 for votes in all_votes)
    return labels, unanimous / len(all_votes)
