"""The page itself: one HTML file that needs nothing beside it and asks nobody for anything."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from samebits.check.report.page.content import PageContent


def render(content: PageContent) -> str:
    """A page as HTML: ASCII, with style, scripts and data in it.

    What comes from run folders is text to the page: the template escapes it, and the script puts
    the data, which is no script, into text nodes.
    """
    text: str = _template().render(
        page=content,
        report=content.report,
        style=_asset("vendor/uplot/uPlot.min.css") + _asset("assets/page.css"),
        chart_script=_script("vendor/uplot/uPlot.iife.min.js"),
        page_script=_page_script(),
        data=_data(content.data()),
    )
    return text.encode("ascii", "xmlcharrefreplace").decode("ascii")


@cache
def _template() -> Any:
    import jinja2
    from markupsafe import Markup

    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["as_it_is"] = Markup
    return environment.from_string(_asset("templates/page.html.j2"))


def _asset(name: str) -> str:
    place = files("samebits.check.report.page")
    for part in name.split("/"):
        place = place / part
    return place.read_text(encoding="utf-8")


def _script(name: str) -> str:
    """A script in ASCII: character references mean nothing in it, escapes in its strings do."""
    return _asset(name).encode("ascii", "backslashreplace").decode("ascii")


def _page_script() -> str:
    """The page's own script, whose parts share their names and leave none behind."""
    parts = "\n".join(_script(f"assets/{name}.js") for name in ("base", "charts", "map", "page"))
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def _data(value: dict[str, Any]) -> str:
    """JSON that may stand in a script element: nothing in it ends the element."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
