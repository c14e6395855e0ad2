"""Experiments: runs, published figures and their comparison. Import the modules by
name.
"""
