"""When bodies are at rest, and those that sleep."""
