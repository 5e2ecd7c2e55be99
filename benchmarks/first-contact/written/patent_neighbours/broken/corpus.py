import torch


def make_corpus(n, vocabulary=3000, topics=60, seed=77):
    """Token ids of abstracts and of claims; row i of both describes one invention."""
    g = torch.Generator().manual_seed(seed)
    topic_words = torch.randint(vocabulary, (topics, 80), generator=g)
    topic = torch.randint(topics, (n,), generator=g)
    own = torch.randint(vocabulary, (n, 25), generator=g)

    def document(length):
        shared = topic_words[topic.unsqueeze(1), torch.randint(80, (n, length), generator=g)]
        special = own.gather(1, torch.randint(25, (n, length), generator=g))
        common = torch.randint(200, (n, length), generator=g)
        kind = torch.rand(n, length, generator=g)
        return torch.where(kind < 0.45, shared, torch.where(kind < 0.75, special, common))

    return document(40), document(90)
