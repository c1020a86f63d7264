package handshakes

// emptying are inputs that take back what a module offers.
var emptying = []string{"clear", "flush", "forget", "abandon", "drop", "reset_moves", "reset_messages", "reset_network"}

// exception is what a stream need not promise.
type exception struct {
	why    string // the reason
	wish   bool   // it may be taken back, and be another one
	free   bool   // its payload may change
	shared bool   // streams side by side have one payload
	empty  bool   // the last beat of a packet may have no bytes
	unless string // in the cycles in which this expression in the module is true
}

// exceptions are by module and stream.
var exceptions = map[string]exception{
	"dispatcher.packet_open": {wish: true, why: "a packet that waits for its session lets others go first"},
	"dma_reader.data":        {unless: "give_up", why: "zeros take the place of what is given up"},
	"dma_writer.stream_t":    {empty: true, why: "packets that are given up end without further bytes"},
	"operand.out":            {free: true, why: "bytes behind the last one of a slice mean nothing, and only the taker counts"},
	"rx_rdma.need":           {wish: true, why: "a slot is wanted as long as there is a packet to wait for"},
	"rx_rdma.expect":         {wish: true, why: "in the cycle in which the slot is there"},
	"rx_stream.need":         {wish: true, why: "a slot is wanted as long as there is none to spare"},
	"rx_tcp.need":            {wish: true, why: "a session that closes wants no slot any more"},
	"rx_tcp.expect":          {wish: true, why: "in the cycle in which the slot is there"},
	"stream_cutter.out":      {free: true, why: "bytes behind the last one of a slice mean nothing, and only the taker counts"},
	"stream_fork.out":        {shared: true, why: "one beat for all takers"},
}
