"""Every file of this folder, imported once: what they enter makes the table complete."""

from __future__ import annotations

import importlib
import pkgutil

from samebits.arithmetic import operations

for _file in pkgutil.iter_modules(operations.__path__, f"{operations.__name__}."):
    importlib.import_module(_file.name)
