from transformers import BertConfig, BertForSequenceClassification

from phraseology import LABELS


def build_model(tokenizer, hidden, layers):
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        intermediate_size=2 * hidden,
        max_position_embeddings=64,
        hidden_dropout_prob=0.05,
        attention_probs_dropout_prob=0.05,
        pad_token_id=tokenizer.pad_token_id,
        num_labels=len(LABELS),
        id2label=dict(enumerate(LABELS)),
        label2id={label: number for number, label in enumerate(LABELS)},
    )
    return BertForSequenceClassification(config)
