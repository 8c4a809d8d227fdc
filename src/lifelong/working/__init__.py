"""Working memory: what the model sees now, and what it costs."""
