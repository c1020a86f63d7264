package datapath

const (
	beatBytes = 64
	mostBytes = 4096 // of a slice
)
