package verilate

// emptying are inputs that take back what a module offers.
var emptying = []string{"clear", "flush", "forget", "abandon", "drop", "reset_moves", "reset_messages", "reset_network"}

// exception is what a stream need not promise.
type exception struct {
	why    string   // the reason
	wish   bool     // it may be taken back, and be another one
	free   bool     // its payload may change
	loose  []string // payload that may change
	shared bool     // streams side by side have one payload
	empty  bool     // the last beat of a packet may have no bytes
	keep   bool     // beats may keep other bytes
	unless string   // in the cycles in which this expression in the module is true
}

// exceptions are by module and stream.
var exceptions = map[string]exception{
	"coyote_control.m_ar": {shared: true, why: "one address for all slaves"},
	"coyote_control.m_aw": {shared: true, why: "one address for all slaves"},
	"coyote_control.m_w":  {shared: true, why: "one word for all slaves"},
	"coyote_read.stream":  {keep: true, why: "a command that ends no packet may end inside a beat"},
	"data_path.kept":      {unless: "flush", why: "what is dropped is not kept"},
	"data_path.kept_data": {free: true, unless: "flush",
		why: "bytes behind the last one of a slice mean nothing, and what is dropped is anything"},
	"dispatcher.packet_open": {wish: true, why: "a packet that waits for its session lets others go first"},
	"axilite_slave.bus": {loose: []string{"bus_wdata", "bus_strobe"},
		why: "those of the next write come while a read is on the bus"},
	"axis_switch.m_t":       {keep: true, why: "it gives what it gets"},
	"dma_read_align.stream": {keep: true, why: "a command that ends no packet may end inside a beat"},
	"dma_reader.data":       {unless: "give_up", why: "zeros take the place of what is given up"},
	"dma_writer.stream_t":   {empty: true, why: "packets that are given up end without further bytes"},
	"exchange_memory.host_register": {loose: []string{"host_register_wdata", "host_register_strobe"},
		why: "as of axilite_slave.bus"},
	"hp_compression.out_r_t": {keep: true, why: "what it keeps depends on what it gets"},
	"inbound_payload.put":    {loose: []string{"put_moved"}, why: "it tells that a beat was taken"},
	"loopback.out_t":         {keep: true, why: "it gives what it gets"},
	"move_channel.open":      {wish: true, why: "a move that gives up wants no packet any more"},
	"operand.out": {free: true,
		why: "bytes behind the last one of a slice mean nothing, and only the taker counts"},
	"reduce_core.result": {keep: true, why: "what it keeps depends on what it gets"},
	"rv32_core.bus":      {unless: "late_error", why: "a read behind a posted write that fails has not begun"},
	"rx_rdma.need":       {wish: true, why: "a slot is wanted as long as there is a packet to wait for"},
	"rx_rdma.expect":     {wish: true, why: "in the cycle in which the slot is there"},
	"rx_stream.need":     {wish: true, why: "a slot is wanted as long as there is none to spare"},
	"rx_tcp.need":        {wish: true, why: "a session that closes wants no slot any more"},
	"rx_tcp.expect":      {wish: true, why: "in the cycle in which the slot is there"},
	"sim_hls_output.t":   {keep: true, why: "kernels in C++ keep what they like"},
	"stream_fork.out":    {shared: true, why: "one beat for all takers"},
	"stream_cutter.out": {free: true,
		why: "bytes behind the last one of a slice mean nothing, and only the taker counts"},
	"write_share.port":      {wish: true, why: "what is dropped is not kept"},
	"write_share.port_data": {wish: true, why: "as of data_path.kept_data"},
}
