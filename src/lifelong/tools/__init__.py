"""The agent's own tools: what a model itself may do with a memory, as functions with JSON schemas.

`toolset(owner, session)` gives them; `specs` tells a provider of them in its own shape, `call` runs
what the model asked for. Nothing here raises trust, releases what is held, or reaches further than
one owner: that is for a person, and for the program around the model.
"""

from lifelong.tools.toolset import Tools, toolset

__all__ = ["Tools", "toolset"]
