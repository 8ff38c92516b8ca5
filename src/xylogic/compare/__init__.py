"""Whether models are the same function, and what tells them apart."""
