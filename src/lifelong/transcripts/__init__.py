"""Transcripts of other tools: files become sessions; what cannot be read is named, not fatal."""
