"""The catalog as pages of documentation, which docs/catalog holds."""

from __future__ import annotations

from samebits.check.causes import CAUSES
from samebits.check.report.explanation import page
from samebits.core.catalog.operations import operations
from samebits.core.catalog.switches import switches

_OPERATIONS = """
Operations of torch that do not give the same bits each time somewhere, and what
`torch.use_deterministic_algorithms(True)` does about it. `samebits explain NAME` shows an entry;
NAME is what a verdict, the code or torch's error message calls it.

`samebits check` looks up every operation that it recorded, on whatever device, and says below the
verdict which of them raise an error on CUDA and which take another form. The verdict file lists
them under `cuda_outlook`.

- It sees what was recorded. At level `auto`, the default, that is everything up to the end of the
  first optimizer step: an operation that runs later for the first time, in evaluation say, is not
  seen. `--level op` records all. At the levels `step` and `module` there is nothing to look up.
- A condition on dtypes or shapes is looked up in the recorded outputs. Other arguments are not
  recorded; where one decides, the entry below says so.
- Operations that only CUDA has are not seen on a CPU. Fused attention and recurrent layers have
  other names there, which the entries list.
"""

_SWITCHES = """
Flags, environment variables and start-up settings that decide whether two runs give the same bits.
`samebits explain NAME` shows an entry; NAME is the switch, the flag or the variable.
"""

_CAUSES = """
The causes that a verdict can name. `samebits explain CODE` shows an entry.
"""


def catalog_pages() -> dict[str, str]:
    """File name → content of each page, in Markdown."""
    return {
        "operations.md": page("Operations that do not repeat", _OPERATIONS, operations()),
        "switches.md": page("Switches", _SWITCHES, switches()),
        "causes.md": page("Causes", _CAUSES, CAUSES),
    }
