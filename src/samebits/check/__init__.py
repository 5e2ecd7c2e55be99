"""The check: processes that are watched, what they leave, how it is compared and told."""
