import torch


def save(model, optimizer, scheduler, scaler, epoch, path):
    torch.save(
        {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
            "scaler": scaler.state_dict(),
            "epoch": epoch,
            "rng": torch.get_rng_state(),
        },
        path,
    )
