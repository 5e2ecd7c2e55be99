"""Checkpoints that resume bit for bit: state capture, checkpoint files, proofs of them.

Importing this package imports neither torch nor NumPy.
"""
