"""What holds bodies together, and drives them."""
