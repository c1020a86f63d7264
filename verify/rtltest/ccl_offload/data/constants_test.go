package datapath

const (
	platform  = "u55c_tcp"
	beatBytes = 64
	mostBytes = 4096 // of a slice
)
