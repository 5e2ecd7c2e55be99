import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, args, run):
        self.model = model
        self.args = args
        self.amp = not args.no_amp
        self.batches = torch.Generator().manual_seed(31)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)

    def step(self, traces, onsets):
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        total = 0.0
        for _ in range(self.args.accumulate):
            rows = torch.randint(len(traces), (self.args.micro_batch,), generator=self.batches)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.amp):
                scores = self.model(traces[rows])
            loss = F.cross_entropy(scores.float(), onsets[rows]) / self.args.accumulate
            loss.backward()
            total += loss.item()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return total

    @torch.inference_mode()
    def validate(self, traces, onsets):
        self.model.eval()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.amp):
            scores = self.model(traces).float()
        error = (scores.argmax(-1) - onsets).abs().float()
        return {"val_loss": F.cross_entropy(scores, onsets).item(), "mean_error": error.mean().item(),
                "within_3": (error <= 3).float().mean().item()}
