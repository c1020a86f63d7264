package moves

const (
	platform = "u55c_tcp"
	queues   = 4
)
