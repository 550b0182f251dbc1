"""Measurements that print ratios: the real server against the shortest program that does the same work."""
