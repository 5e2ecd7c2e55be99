"""What the other processes of a run did: who started them, what they printed, wrote and returned.

Each process keeps a journal in the workspace that it shares with the launcher, which puts the
journals together once the run has ended. Nothing here imports torch, or anything that is slow.
"""
