"""What everything else stands on: fingerprints of tensors, and facts about operations."""
