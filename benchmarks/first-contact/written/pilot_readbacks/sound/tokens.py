from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch.utils.data import Dataset
from transformers import PreTrainedTokenizerFast

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")


def build_tokenizer(exchanges):
    words = {word for clearance, readback, _ in exchanges for word in f"{clearance} {readback}".split()}
    vocab = {word: number for number, word in enumerate((*SPECIAL, *sorted(words)))}
    core = Tokenizer(models.WordLevel(vocab, unk_token="[UNK]"))
    core.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    core.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocab["[CLS]"]), ("[SEP]", vocab["[SEP]"])],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )


class ExchangeSet(Dataset):
    def __init__(self, exchanges, tokenizer):
        self.rows = []
        for clearance, readback, label in exchanges:
            ids = tokenizer(clearance, readback)["input_ids"]
            split = ids.index(tokenizer.sep_token_id) + 1
            kinds = [0] * split + [1] * (len(ids) - split)
            self.rows.append({"input_ids": ids, "token_type_ids": kinds, "attention_mask": [1] * len(ids), "labels": label})

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return dict(self.rows[index])
