"""Letter-by-letter inflection: a GRU encoder, and a GRU decoder with dot-product attention."""

import torch
from torch import nn

from lexicon import BOS, PAD, PERSONS, TENSES, VOCABULARY


class Inflector(nn.Module):
    def __init__(self, embedding, hidden, dropout):
        super().__init__()
        self.letters = nn.Embedding(VOCABULARY, embedding, padding_idx=PAD)
        self.tense = nn.Embedding(len(TENSES), hidden)
        self.person = nn.Embedding(len(PERSONS), hidden)
        self.encoder = nn.GRU(embedding, hidden, batch_first=True)
        self.decoder = nn.GRU(embedding + hidden, hidden, batch_first=True)
        self.combine = nn.Linear(2 * hidden, hidden)
        self.output = nn.Linear(hidden, VOCABULARY)
        self.dropout = nn.Dropout(dropout)

    def encode(self, source, tags):
        memory, last = self.encoder(self.dropout(self.letters(source)))
        tag = self.tense(tags[:, 0]) + self.person(tags[:, 1])
        return memory, source == PAD, tag, torch.tanh(last + tag)

    def decode(self, previous, state, memory, padding, tag):
        letters = self.dropout(self.letters(previous))
        context = tag[:, None].expand(-1, previous.shape[1], -1)
        states, state = self.decoder(torch.cat([letters, context], dim=-1), state)
        scores = states @ memory.transpose(1, 2) / memory.shape[-1] ** 0.5
        scores = scores.masked_fill(padding[:, None], float("-inf"))
        read = scores.softmax(dim=-1) @ memory
        mixed = torch.tanh(self.combine(torch.cat([states, read], dim=-1)))
        return self.output(self.dropout(mixed)), state

    def forward(self, source, tags, previous):
        memory, padding, tag, state = self.encode(source, tags)
        logits, _ = self.decode(previous, state, memory, padding, tag)
        return logits

    @torch.no_grad()
    def generate(self, source, tags, length=20):
        memory, padding, tag, state = self.encode(source, tags)
        letter = torch.full((source.shape[0], 1), BOS)
        written = []
        for _ in range(length):
            logits, state = self.decode(letter, state, memory, padding, tag)
            letter = logits.argmax(dim=-1)
            written.append(letter)
        return torch.cat(written, dim=1)
