"""Preview sheets of the decoder, made every so often while a training is under way."""
import signal
from pathlib import Path

import torch
from PIL import Image


class Previews:
    """A timer asks for a sheet; the training loop calls maybe_draw() where it is safe to make one."""

    def __init__(self, model, folder, seconds, seed, tiles=9):
        self.model = model
        self.folder = Path(folder)
        self.seconds = seconds
        self.tiles = tiles
        self.codes = torch.randn(tiles, model.latent, generator=torch.Generator().manual_seed(seed))
        self.due = False
        self.count = 0

    def __enter__(self):
        self.previous = signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, self.seconds, self.seconds)
        return self

    def __exit__(self, *error):
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.previous)

    def _ring(self, number, frame):
        self.due = True

    @torch.no_grad()
    def maybe_draw(self):
        if not self.due:
            return
        self.due = False
        motifs = self.model.decode(self.codes).sigmoid()
        side = self.model.side
        sheet = Image.new("L", (3 * side, 3 * side))
        for place, motif in enumerate(motifs.view(-1, side, side)):
            tile = Image.fromarray((255 * motif).to(torch.uint8).numpy())
            sheet.paste(tile, (place % 3 * side, place // 3 * side))
        sheet.save(self.folder / f"sheet_{self.count:03d}.png")
        self.count += 1
