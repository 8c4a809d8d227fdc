"""Long-term memory: what is worth keeping, how it is found again, and how it goes."""
