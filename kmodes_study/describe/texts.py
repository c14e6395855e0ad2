"""Names and figures as texts: short, in one line, and different where the names are."""

import re
from collections import Counter

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


def short_texts(values, width: int) -> list:
    """Names as texts of at most so many characters, which differ where the names do.

    Names that begin alike are cut in the middle; those that end alike, too, are counted.
    """
    texts = [name_text(value) for value in values]
    begins = Counter(text[: width - 1] for text in {*texts})
    short = {}
    for text in texts:
        cut = text
        if len(text) > width:
            alike = begins[text[: width - 1]] > 1
            head = max(1, width // 3) if alike else width - 1
            cut = f"{text[:head]}…{text[head + 1 - width :] if alike else ''}"
        number = 1
        while short.get(cut, text) != text:
            number += 1
            cut = f"{text[: max(0, width - 1 - len(str(number)))]}…{number}"
        short[cut] = text
    short = {text: cut for cut, text in short.items()}
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
    return number_text(value).replace("nan", "none")


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
    names = "n_clusters cost bic code_length code_length_by_attribute "
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
