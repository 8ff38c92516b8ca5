"""Growing decision trees and forests, and pruning them."""
