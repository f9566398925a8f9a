"""The clean replay of what a candidate handed in, and the evidence frozen from it."""
