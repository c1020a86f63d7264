package proofs

// unfinished have properties that have not all been proved, for want of time of
// the solver: nothing is claimed of these blocks yet. One that is done moves into
// the table where it belongs.
var unfinished []Proof
