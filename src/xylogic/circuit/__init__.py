"""Circuits over states: negation normal form, sorting networks, decision graphs and diagrams. Knows no trees."""
