package sim

import (
	"cmp"
	"fmt"
	"net"
	"strconv"
)

// DefaultPort is the default of Endpoints.Port.
const DefaultPort = 5500

// Endpoints gives the addresses at which the ranks of a world are served.
type Endpoints struct {
	Host  string // name or address; "" for 127.0.0.1
	Port  int    // of rank 0; others follow from it; 0 for DefaultPort
	Ranks int    // size of the world
}

// Command is the address at which rank r answers requests.
func (e Endpoints) Command(r int) string { return e.at(0, r) }

// EthernetOut is the address at which rank r publishes the packets that it sends.
func (e Endpoints) EthernetOut(r int) string { return e.at(1, r) }

// KernelOut is the address at which rank r publishes the stream from its engine to the
// user kernel.
func (e Endpoints) KernelOut(r int) string { return e.at(2, r) }

// KernelIn is the address at which the client of rank r publishes the stream from its
// user kernel to the engine.
func (e Endpoints) KernelIn(r int) string { return e.at(3, r) }

// Check returns an error if the world has no rank r, or a port is out of range.
func (e Endpoints) Check(r int) error {
	first := e.start()
	switch {
	case e.Ranks < 1:
		return fmt.Errorf("sim: a world of %d ranks: at least 1 expected", e.Ranks)
	case r < 0 || r >= e.Ranks:
		return fmt.Errorf("sim: rank %d of a world of %d", r, e.Ranks)
	case first < 1 || first > 65535 || e.Ranks > (65536-first)/4:
		return fmt.Errorf("sim: %d ranks from port %d on: they take 4 ports each, and the last port is 65535", e.Ranks, first)
	}
	return nil
}

// at is the address of rank r in a group of endpoints.
func (e Endpoints) at(group, r int) string {
	host := e.Host
	host = cmp.Or(host, "127.0.0.1")
	return net.JoinHostPort(host, strconv.Itoa(e.start()+group*e.Ranks+r))
}

func (e Endpoints) start() int {
	if e.Port == 0 {
		return DefaultPort
	}
	return e.Port
}
