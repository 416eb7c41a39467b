"""What is wrong with a surface, and how it is healed."""
