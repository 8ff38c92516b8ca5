"""Power indices of the game "is this set of features sufficient"."""
