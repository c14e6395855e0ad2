"""The benchmark suite: `python -m bench` from the root of the clone. Rows are in `rows.py`, how they are measured in `measure.py`."""
