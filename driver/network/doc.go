// Package network sets up the networks of cards, which users of ACCL do by hand: the MAC
// and its link, addresses, sockets and ARP of the UDP stack; the TCP stack, its port and
// its sessions. It works through the registers of the kernels alone, by the names that
// their descriptions have (card.Design).
//
// A program does this between bringup.Join and World.Ready, when all ranks are known:
//
//	stack, err := network.Of(&u55c_udp.Card, 0, open) // open: registers by instance
//	ranks, err := stack.Setup(ctx, network.Config{Ranks: w.Ranks(), Local: w.Rank()})
//	e, err := accl.Open(ctx, dev, p, ranks, w.Rank(), accl.GivenSessions())
//	err = w.Ready(ctx, err)
//
// Nobody sends before all are ready: a stack that is sent packets while it asks for MAC
// addresses can stop for ever (its discovery takes answers that the sender waits for).
//
// # What goes wrong
//
// Errors are *Error, and say which rank to look at, with its address and port; there may
// be several, joined. What makes no sense is found before a register is written. Every
// wait ends with the context or after Config.Timeout. Setup can then be called again.
//
// # UDP
//
// The MAC is turned on, and has to see its link up at several looks in a row, the last
// ones without any drop in between: bits of its state keep what they have had since they
// were read. Then the own addresses, a socket for each other rank, whose place in the
// table is its rank and its session, and ARP: all addresses are asked for again and
// again, until all ranks have answered, which they do when they have their own address.
// All that is written is read back.
//
// # TCP
//
// The stack is started with its addresses, then the session handler opens connections,
// and the own port. Ranks come up at the same time, in any order: who does not listen yet
// is asked again and again. A connection that is there is not opened again: the stack
// remembers what it has opened, and when the time of one attempt is over before the
// session handler has answered, its answer counts when it comes.
//
// The MAC of this stack has no registers: that a link is down shows as ranks that cannot be
// connected to.
//
// The higher rank of a pair connects, and both use that connection. The stacks number
// sessions by themselves, and the lower rank is not told the number, but counts: rank n
// connects to n-1, n-2, … 0, and listens only then; therefore rank n+2, which first
// connects to n+1, comes to rank n after n+1 has, and sessions of rank n to n+1, n+2, …
// have the numbers after the last that it has opened. This holds as long as nobody else
// connects to the port, and no answer to a connection is lost; a wrong number shows as
// messages that do not come, never as wrong data. The ranks come up one after the other.
//
// With EachWay each rank connects to each other one, as host programs of ACCL do, so that
// a pair of ranks has two connections, and each sends on its own. Nobody waits for others
// before it listens, so ranks cannot wait for each other in a circle. A rank is not told
// the numbers of sessions that others have opened to it, so this is for engines that look
// at no session on which messages arrive. Ours do, and hear nothing.
//
// # RDMA
//
// The stack is in the Coyote shell, whose driver writes queue pairs (package coyote gives
// Within a Shell). Each rank takes a queue pair for each other one and says what the
// others have to know of them (Describe), which goes to all when ranks find each other
// (bringup.Member.Data). Setup checks what all have said, so that all find the same errors,
// sets the own addresses, writes the queue pairs, and asks for the MAC addresses of all
// ranks until it has them. The session of a rank is the number of the own queue pair that
// leads there.
//
// The shell does not say which MAC addresses it knows; it is known by the requests that
// it no longer sends. It has no register for its link, either: if nothing at all has come
// when the time is over, the link is the reason, and otherwise each rank that has not
// answered. An address that the shell knows from a program before is not asked for again,
// also if another card has it now: what shows that is the first message, which
// cluster.Open sends between all ranks.
//
// # What has not been tried
//
// No card has run any of this. It is held against models of these kernels that were
// typed from their public register maps and sources (verify/fakecards/kernels).
package network
