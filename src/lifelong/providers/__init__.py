"""Adapters of what others provide: models and tokenizers, each behind an extra."""
