package moves

const (
	platform  = "u55c_tcp"
	queues    = 4
	beatBytes = 64
	mostBytes = 4096 // of a slice
)
