package proofs

var streams = []Proof{}
