"""Screening: what a text holds that may not be kept, or may not be believed."""
