import torch.nn.functional as F


def soft_targets(student, teacher, temperature):
    """Cross-entropy of softened outputs, scaled so that gradients keep their size (Hinton et al., 2015)."""
    return F.kl_div(
        F.log_softmax(student / temperature, dim=1),
        F.log_softmax(teacher / temperature, dim=1),
        reduction="batchmean",
        log_target=True,
    ) * temperature ** 2
