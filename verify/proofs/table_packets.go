package proofs

var packets = []Proof{}
