"""Sign list and tokenizer."""
from collections import Counter

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.processors import TemplateProcessing
from transformers import PreTrainedTokenizerFast

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def sign_list(tablets: list[list[str]], limit: int) -> list[str]:
    counts = Counter(sign for tablet in tablets for sign in tablet)
    attested = {sign for sign, n in counts.items() if n >= 2}
    ranked = sorted(attested, key=lambda sign: (-counts[sign], sign))
    return SPECIAL + ranked[: limit - len(SPECIAL)]


def build_tokenizer(tablets: list[list[str]], limit: int = 180) -> PreTrainedTokenizerFast:
    vocab = {sign: i for i, sign in enumerate(sign_list(tablets, limit))}
    raw = Tokenizer(WordLevel(vocab, unk_token="[UNK]"))
    raw.pre_tokenizer = WhitespaceSplit()
    raw.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=32,
    )


def unknown_share(tokenizer, tablets: list[list[str]]) -> float:
    known = set(tokenizer.get_vocab())
    total = sum(len(t) for t in tablets)
    return sum(sign not in known for t in tablets for sign in t) / total
