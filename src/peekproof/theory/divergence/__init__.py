"""How far apart two laws are: divergences of pairs, their loss variables, and what bounds them.

Direction matters: D(P‖Q) is the divergence of P from Q, and P is the law that is sampled.
"""
