// Package network sets up the networks of cards: the MAC and its link, addresses, sockets
// and ARP of the UDP stack; the TCP stack, its port and its sessions; addresses and queue
// pairs of the RDMA stack. It accesses kernels only through their registers, by the names in
// their descriptions (layout.Design).
//
// A program calls it between bringup.Join and World.Ready, when all ranks are known:
//
//	stack, err := network.Of(&u55c_udp.Card, 0, open) // open: registers by instance
//	ranks, err := stack.Setup(ctx, network.Config{Ranks: w.Ranks(), Local: w.Rank()})
//	e, err := accl.Open(ctx, dev, p, ranks, w.Rank(), accl.GivenSessions())
//	err = w.Ready(ctx, err)
//
// No rank may send before all are ready: a stack that receives packets while it asks for
// MAC addresses can stop for ever.
//
// # Errors
//
// Errors are *Error with the rank to look at, its address and port; several are joined.
// Wrong arguments are found before a register is written. Every wait ends with the context
// or after Config.Timeout. After an error, Setup can be called again.
//
// # UDP
//
// Setup turns the MAC on and waits until its link is up in several reads in a row, the last
// ones without a drop in between: some state bits are sticky until they are read. Then it
// writes the own addresses and a socket for each other rank, at the rank's index, which is
// also its session, and asks for all MAC addresses until all ranks have answered. Ranks
// answer as soon as they have their own address. Setup reads back all that it writes.
//
// # TCP
//
// Setup starts the stack with its addresses. Then the session handler opens connections and
// the own port. Ranks come up at the same time, in any order: a rank that does not listen yet
// is asked again. The stack remembers a connection that it has opened, even if its answer
// comes after the limit of one attempt; it is not opened twice.
//
// The MAC of this stack has no registers: if the link is down, ranks cannot be connected to.
//
// The higher rank of a pair connects, and both use that connection. The stacks number
// sessions by themselves and do not report the number to the lower rank, which therefore
// counts. Rank n connects to n-1, n-2, … 0 and only then listens. Rank n+2 first connects to
// n+1, so it reaches rank n after n+1 has; sessions of rank n to n+1, n+2, … have the numbers
// after the last that it has opened itself. This holds if nobody else connects to the port
// and no answer to a connection is lost. With a wrong number messages do not arrive; data is
// never wrong. The ranks come up one after the other.
//
// With EachWay each rank connects to each other one, as host programs of ACCL do. A pair of
// ranks has two connections then, and each rank sends on its own. Each rank listens before
// it connects, so ranks cannot wait for each other in a circle. Ranks do not know the numbers
// of sessions that others have opened to them, so EachWay is only for engines that do not
// check the session of received messages. Ours check it, and do not receive.
//
// # RDMA
//
// The stack is in the Coyote shell, whose driver writes queue pairs (Within a Shell of package
// coyote). Each rank takes a queue pair for each other rank and describes them (Describe); the
// ranks exchange these descriptions when they meet (bringup.Member.Data). Setup checks all
// descriptions, so that all ranks find the same errors, sets the own addresses, writes the
// queue pairs, and asks for the MAC addresses of all ranks until it has them. The session of a
// rank is the number of the local queue pair to it.
//
// The shell does not list the MAC addresses that it knows; Setup infers them from the requests
// that it no longer sends. There is no register for the link, either: if no packet at all has
// arrived at the limit, the error names the link, otherwise each rank that has not answered.
// The shell does not ask again for an address that it knows from an earlier program, even if
// another card has it now. Only a first message shows that; cluster.Open sends one between all
// ranks.
//
// # Not tried on cards
//
// No card has run any of this. It is tested with models of these kernels, written from their
// public register maps and sources (verify/fakecards/wire).
package network
