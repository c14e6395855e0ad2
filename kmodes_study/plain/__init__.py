"""The definitions, plainly: what everything fast must equal, in plain Python; stands on
nothing but numpy.
"""
