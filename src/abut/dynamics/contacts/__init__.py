"""Contacts from step to step, and as users read them."""
