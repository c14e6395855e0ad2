"""The four sources, item by item: none is missing, each can be imported and read."""

import re
from collections import Counter
from importlib import import_module

from navigation import SOURCES, items, read, sourced


def test_none_of_the_items_is_missing():
    found = items()
    assert [*Counter(item["source"] for item in found).values()] == [19, 13, 61, 18]
    assert (
        len({(item["source"], item["section"], item["item"]) for item in found}) == 111
    )
    assert not any("|" in text for item in found for text in item.values())
    (other,) = [item["state"] for item in found if item["state"] != "works"]
    assert re.match("cannot be had: .+", other)


def test_each_item_is_imported_and_stands_in_its_notebook():
    books = {item["notebook"]: read(item["notebook"]).cells for item in items()}
    for item in items():
        module, _, name = item["name"].rpartition(".")
        assert not module or hasattr(import_module(module), name), item
        cells = books[item["notebook"]]
        prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        # the heading, and the name under it or elsewhere on the page
        assert re.search(f"^#+ {re.escape(item['place'])}$", prose, re.M), item
        assert any(name in cell.source for cell in cells), item


def test_the_page_is_made_from_the_table():
    assert read(SOURCES).cells[-2].source == sourced(), "run make book"
