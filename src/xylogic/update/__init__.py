"""Replacing a tree without breaking the explanations that people rely on."""
