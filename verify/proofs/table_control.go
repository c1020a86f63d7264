package proofs

var control = []Proof{}
