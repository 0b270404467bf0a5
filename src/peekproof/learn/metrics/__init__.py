"""What a prediction is worth in a row, from 0 to 1: one file each."""
