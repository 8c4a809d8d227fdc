"""Stores: adapters of the `Store` port, one package for each database."""
