"""The lab: recorded sessions, replayed through policies before one is shipped.

The policies, the repair and the validators are those that run live; no model is called.
"""
