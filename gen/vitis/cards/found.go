package cards

// State is the state of an engine or a network, as far as it could be read.
type State string

const (
	Configured    State = "configured"     // of engines: a program has, and may have ended since
	NotConfigured State = "not configured" // of engines
	// of networks and regions; of engines that do not say whether they are configured
	Answers State = "answers"
	Halted  State = "halted"         // of engines: the control processor
	Other   State = "other hardware" // of engines: what they say of themselves is not the platform's
	InUse   State = "in use"         // by another process, which is left alone
	Unknown State = "not known"      // there is a remark why
)

// Engine is a collective engine on a card. Unknown fields are nil.
type Engine struct {
	Name  string `json:"name"` // of the instance: "ccl_offload_0"
	State State  `json:"state"`
	// Configured says what a program has left; generations before accl-2022 do not.
	Configured *bool `json:"configured"`
	// Halted says why and where the control processor has halted; "" if it has not.
	Halted   string    `json:"halted,omitempty"`
	Hardware *Hardware `json:"hardware"`
}

// Region is a part of a card in a shell that has a driver of its own, "coyote".
type Region struct {
	File   string `json:"file"` // of the shell's driver
	Number int    `json:"number"`
	State  State  `json:"state"`
	Built  *Built `json:"built"` // nil if not known
	// Address and MAC are those that a program has set; empty if none has.
	Address string `json:"address"`
	MAC     string `json:"mac"`
}

// Built is the configuration that a shell reports.
type Built struct {
	Regions     int  `json:"regions"` // of the card
	HostStreams bool `json:"host_streams"`
	CardStreams bool `json:"card_streams"`
	RDMA        bool `json:"rdma"`
	AVX         bool `json:"avx"`
}

// Hardware is the configuration that an engine reports.
type Hardware struct {
	ID            string `json:"id"` // the word: "0x0012AB5C"
	Stack         string `json:"stack"`
	InternalDMA   bool   `json:"internal_dma"`
	ExternalDMA   bool   `json:"external_dma"`
	Arithmetic    bool   `json:"arithmetic"`
	Compression   bool   `json:"compression"`
	KernelStreams bool   `json:"kernel_streams"`
	Debug         bool   `json:"debug"`
	Revision      string `json:"revision"` // first six digits
}

// Network is the network kernel of an engine. Unknown fields, and those that its kind
// does not have, are nil or empty.
type Network struct {
	Name   string `json:"name"`   // of the instance: "poe_0"
	Kind   string `json:"kind"`   // "udp", "tcp"; "axis" joins engines of the card, "rdma" is the Coyote shell's
	Engine string `json:"engine"` // whose it is
	State  State  `json:"state"`
	// Address is the own one, of UDP with the bits of the network: "10.1.2.3/24".
	Address string `json:"address"`
	Gateway string `json:"gateway"` // UDP
	MAC     string `json:"mac"`     // UDP
	// Sockets are entries of the table of UDP, one for each session. The TCP stack tells
	// nobody how many sessions it has.
	Sockets   *Entries `json:"sockets"`
	Neighbors *int     `json:"arp"` // entries of the ARP table of UDP
	Packets   *Packets `json:"packets"`
	// Link is nil where the MAC has no registers, which is so on TCP.
	Link *MAC `json:"link"`
}

// Entries is the occupancy of a table.
type Entries struct {
	Used int `json:"used"`
	Size int `json:"size"`
}

// Packets are numbers of packets at both sides of a UDP stack, since it was loaded. What has
// come from the MAC and is neither ARP nor ICMP goes to the engine, or was dropped.
type Packets struct {
	FromMAC    uint64 `json:"from_mac"`
	ARP        uint64 `json:"arp"` // of these
	ICMP       uint64 `json:"icmp"`
	ToEngine   uint64 `json:"to_engine"`
	FromEngine uint64 `json:"from_engine"`
	ToMAC      uint64 `json:"to_mac"`
}

// MAC is the state of a 100G MAC.
type MAC struct {
	Name    string   `json:"name"` // of the instance: "cmac"
	Up      bool     `json:"up"`
	FEC     bool     `json:"fec"`     // RS-FEC is on
	Sending bool     `json:"sending"` // the sender is on
	Says    []string `json:"says"`    // bits of the receiver's state that are set
}
