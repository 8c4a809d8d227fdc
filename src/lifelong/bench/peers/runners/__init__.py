"""What runs in the environment of a peer: one module a peer, and `run` that measures it.

They are run by file path, by an interpreter that has the peer and not lifelong.
"""
