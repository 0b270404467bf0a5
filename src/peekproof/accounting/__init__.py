"""Filters: rules that admit or refuse a charge chosen adaptively."""
