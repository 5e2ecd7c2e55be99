"""What someone at the screen sees while training: a line with the speed and a fresh contact sheet now and then."""
import tempfile
import time
from pathlib import Path

import torch


class Monitor:
    def __init__(self, latent, every_seconds=0.25, tiles=36):
        self.latent, self.every, self.tiles = latent, every_seconds, tiles
        self.rng = torch.Generator().manual_seed(99)
        self.folder = tempfile.TemporaryDirectory(prefix="vae-preview-")
        self.started = self.last = time.monotonic()
        self.sheets = 0

    def tick(self, step, model, loss):
        now = time.monotonic()
        if now - self.last < self.every:
            return
        self.last = now
        model.eval()
        self.contact_sheet(model)
        model.train()
        stamp = time.strftime("%H:%M:%S")
        print(f"[{stamp}] step {step} loss {loss:.2f} {step / (now - self.started):.0f} it/s, sheet {self.sheets}", flush=True)

    @torch.no_grad()
    def contact_sheet(self, model):
        z = torch.randn(self.tiles, self.latent, generator=self.rng)
        side = int(self.tiles**0.5)
        sheet = model.decode(z).view(side, side, 8, 8).permute(0, 2, 1, 3).reshape(side * 8, side * 8)
        path = Path(self.folder.name) / "sheet.pgm"
        grey = (sheet * 255).to(torch.uint8)
        path.write_bytes(b"P5 %d %d 255\n" % grey.shape + grey.numpy().tobytes())
        self.sheets += 1

    def close(self):
        self.folder.cleanup()
