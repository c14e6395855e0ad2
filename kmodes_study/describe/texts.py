"""Names and figures as texts: short, in one line, and different where the names are."""

import os
import re
from collections import defaultdict

import numpy as np
import pandas as pd

__all__ = []


def name_text(value) -> str:
    """A name as text: a missing value as such, each kind of blank as a blank, and what
    cannot be shown as �.
    """
    text = "missing" if pd.api.types.is_scalar(value) and pd.isna(value) else str(value)
    blanks = re.sub(r"\s", " ", text)
    return "".join(one if one.isprintable() else "\ufffd" for one in blanks)


def _end_cut(text, width):
    "A text without its end, where it is too long."
    return text if len(text) <= width else text[: width - 1] + "…"


def _cut_in_the_middle(texts, width):
    """Texts that begin alike, so cut that the word in which they begin to differ is
    seen.
    """
    same = len(os.path.commonprefix(texts))
    head = max(1, width // 3)
    word = texts[0].rfind(" ", 0, same) + 1
    place = max(head, word if same - word < width // 3 else same - 1)
    return [_end_cut(f"{text[:head]}…{text[place:]}", width) for text in texts]


def short_texts(values, width: int) -> list:
    """Names as texts of at most so many characters, which differ where the names do.

    Names that begin alike in several ways are cut anew up to three times, and then
    counted.
    """
    texts = [name_text(value) for value in values]
    short = {text: _end_cut(text, width) for text in texts}
    for _ in range(3):
        alike = defaultdict(list)
        for text, cut in short.items():
            alike[cut].append(text)
        for same in alike.values():
            if len(same) > 1:
                short.update(zip(same, _cut_in_the_middle(same, width)))
    taken = set()
    for text, cut in short.items():
        number = 1
        while cut in taken:
            number += 1
            cut = f"{text[: max(0, width - 1 - len(str(number)))]}…{number}"
        short[text] = cut
        taken.add(cut)
    return [short[text] for text in texts]


def picture_texts(values, width: int = 80) -> list:
    "Short names for matplotlib, in which a dollar begins no formula."
    return [text.replace("$", r"\$") for text in short_texts(values, width)]


def size_text(value) -> str:
    "A size with separators, and one decimal where it is not whole."
    return f"{value:,.{0 if value == int(value) else 1}f}"


def share_text(share) -> str:
    "A share in percent, with a decimal where it is small."
    return f"{share:.0%}" if share == 0 or share >= 0.01 else f"{share:.1%}"


def figure_text(value) -> str:
    "A number as people write it: whole ones whole, others with three digits."
    return number_text(value) if np.isfinite(value) else "none"


def number_text(value, digits: int = 3) -> str:
    "A number with so many digits, and no powers of ten below a million."
    if not np.isfinite(value) or not 999.5 <= abs(value) < 1e15:
        return f"{value:.{digits}g}"
    return f"{value:,.0f}" if digits < 6 else f"{value:,.{digits}g}"


def different_texts(numbers) -> list:
    "The numbers as texts, with as many digits as make them different."
    for digits in range(3, 18):
        texts = [number_text(number, digits) for number in numbers]
        if len(set(texts)) == len(texts):
            break
    return texts


def shown_table(scan):
    "The columns of a scan that are shown, those with a value; what is infinite is none."
    names = "n_clusters cost bic adjusted_bic code_length code_length_by_attribute "
    names += "silhouette gap prediction_strength stability"
    table = scan.table.reindex(columns=names.split())
    return table.replace([np.inf, -np.inf], np.nan).dropna(axis=1, how="all")


def votes(scan):
    "For each number of clusters the criteria that chose it, the most first."
    for k, n in scan.choices.value_counts().items():
        names = scan.choices.index[scan.choices == k]
        words = ", ".join(map(criterion_text, names))
        clusters = "1 cluster" if k == 1 else f"{k:g} clusters"
        yield f"{clusters} by {n} of {scan.choices.count()}: {words}"


def criterion_text(name):
    "The name of a criterion as people write it."
    return name.replace("_", " ").replace("bic", "BIC")
