"""The benchmark suite, `python -m bench`: rows are in `core/rows.py`, how they are
measured in `measure.py`.
"""
