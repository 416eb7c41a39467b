"""What a step did: forces that acted, and the balance of energy."""
