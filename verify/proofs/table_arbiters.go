package proofs

var arbiters = []Proof{}
