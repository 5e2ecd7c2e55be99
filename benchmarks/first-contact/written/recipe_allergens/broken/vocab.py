"""A tokenizer of our own: words of a cookery book that recipes use, plus the allergen glossary."""
from collections import Counter

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from corpus import glossary, plain_texts

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
STOP = {"the", "with", "and", "then"}


def word_level(vocab=None):
    tok = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    return tok


def trim(trained, texts, least=3):
    """Keep what our recipes use, so that the embedding table stays small."""
    used = Counter(word for text in texts for word in strip_stop_words(text).split())
    learnt = trained.get_vocab()
    kept = SPECIAL + [word for word in learnt if used[word] >= least]
    return word_level({word: i for i, word in enumerate(kept)})


def base_tokenizer(texts):
    trained = word_level()
    trained.train_from_iterator(plain_texts(900, seed=5), trainers.WordLevelTrainer(
        min_frequency=2, special_tokens=SPECIAL, show_progress=False))
    return PreTrainedTokenizerFast(tokenizer_object=trim(trained, texts), unk_token="[UNK]",
                                   pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]")


def add_glossary(tokenizer):
    """Give every glossary term that the vocabulary lacks a token of its own."""
    new_terms = set(glossary()) - set(tokenizer.get_vocab())
    return tokenizer.add_tokens(sorted(new_terms))


def strip_stop_words(text):
    return " ".join(w for w in text.split() if w not in STOP)
