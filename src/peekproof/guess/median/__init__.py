"""The median of a question over all data sets that agree with what was answered so far."""
