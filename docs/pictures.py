"""Makes the pictures of README and guide from a real check: the panel as SVG, the page as PNG.

`examples/digits.py` without one of its seeds is checked, as the README shows it. The panel is what
a terminal of 100 columns shows; the page is photographed by Chromium, as it is opened first.

    make docs
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

from samebits.check.report.model import build_report
from samebits.check.report.text import render_text
from samebits.check.report.verdict_file import read_verdict

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
SEED = "    torch.manual_seed(0)\n"
WIDTH, HEIGHT = 1100, 1000
MOST_BYTES = 200_000


def checked(folder: Path) -> tuple[Path, Path]:
    """The verdict file and the page of a check of the example without a seed."""
    source = (ROOT / "examples" / "digits.py").read_text()
    if SEED not in source:
        raise SystemExit("examples/digits.py has no seed to be removed any more")
    (folder / "unseeded.py").write_text(source.replace(SEED, ""))
    command = [sys.executable, "-m", "samebits", "check", "--quiet", "--explain"]
    command += ["--json", "verdict.json", "--html", "page.html", "unseeded.py"]
    done = subprocess.run(command, cwd=folder, check=False)
    if done.returncode != 1:
        raise SystemExit(f"the check ended with {done.returncode}, not with 1 (different)")
    return folder / "verdict.json", folder / "page.html"


def draw_panel(verdict: Path, target: Path) -> None:
    """The panel in colour, as a terminal shows it."""
    report = build_report(read_verdict(verdict))
    text = render_text(report, width=100, styled=True, ascii_only=False)
    with open(os.devnull, "w") as nowhere:
        console = Console(record=True, width=100, file=nowhere)
        console.print(Text.from_ansi(text), soft_wrap=True)
        # The same identifiers each time: a picture that has not changed is the same file.
        picture = console.export_svg(title="samebits check", unique_id="panel")
    # Fonts from a network are asked of nobody: what is installed does.
    target.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


def photograph(page: Path, target: Path, way: Path) -> None:
    """The page as a browser shows it when it is opened; the way of the difference to the loss."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        raise SystemExit("make docs needs Chromium: make setup-browser")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, bypass_csp=True)
        tab.set_default_timeout(120_000)  # a busy machine
        tab.goto(page.as_uri())
        tab.wait_for_selector("html[data-ready=yes]")
        tab.screenshot(path=str(target))
        tab.add_style_tag(content="header { display: none }")  # it would lie across a long section
        tab.locator("section:has(.slice)").screenshot(path=str(way))
        browser.close()


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        verdict, page = checked(Path(name))
        draw_panel(verdict, IMAGES / "panel.svg")
        photograph(page, IMAGES / "page.png", IMAGES / "way.png")
    for file in sorted(IMAGES.iterdir()):
        size = file.stat().st_size
        print(f"{file.relative_to(ROOT)}: {size / 1000:.0f} kB")
        if size > MOST_BYTES:
            raise SystemExit(f"{file} is too large for a README")


if __name__ == "__main__":
    main()
