"""Models as circuits and decision diagrams."""
