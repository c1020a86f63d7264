package datapath

const (
	platform  = "u55c_tcp"
	queues    = 4
	beatBytes = 64
	mostBytes = 4096 // of a slice
)

// keepOf are the strobes of the first bytes of a beat.
func keepOf(n int) uint64 {
	if n >= beatBytes {
		return ^uint64(0)
	}
	return 1<<n - 1
}
