"""Whether two inputs can be told apart by what is released: claims, draws, events, counts."""
