// Package socket is the network between engines as real sockets of IPv4, or as memory that
// processes of a host share: each port is the UDP or TCP network engine of one rank, on this
// host or another.
//
// # UDP
//
// A datagram is a packet: the header beat of 64 bytes, and up to 4032 bytes of
// payload. Its sender is known by its source address. Datagrams can be lost, on
// their way or because the receiver is too slow; nothing else happens to them.
//
// Flow control between our ports avoids losses. After about 64 KiB to a peer the
// sender sends a mark. The peer answers with an echo when it has read the mark and
// has room for more, and with full before that. With more than 256 KiB without an
// echo the sender is busy. It repeats the mark after 100 ms without an answer, and
// goes on after the third time; a peer that has never answered gets no more marks
// then. Marks and answers read as empty messages, too:
//
//	bytes  0–39  0
//	bytes 40–47  bytes sent so far, little-endian; the same in the answer
//	bytes 48–51  version, little-endian: 1
//	bytes 52–55  little-endian: 1 mark, 2 echo, 3 full
//	bytes 56–63  "cclpaced"
//
// Options.Unpaced turns marks off.
//
// # TCP
//
// A connection carries, in each direction, packets one after the other: the
// header beat, and the bytes of payload that the header announces. The two ports
// of a pair often have two connections, since each connects to where the other
// listens. A port sends on the connection that it made, if it has one when it
// sends for the first time, otherwise on the one that came in, and stays with it;
// it receives from both. If one of them ends, the session ends, and the other one
// with it.
//
// Connect also succeeds if nobody listens yet. The port dials in the background for
// Options.Patience, and again when something is sent: Send is busy until the port is
// connected.
//
// The port that connects first sends a beat that is no header, the hello, which tells
// the other end who it is:
//
//	bytes  0–39  0 (so that it reads as an empty message)
//	bytes 40–43  IPv4 address, as a little-endian word of which the first number is
//	             the highest byte; 0 for the one that the connection comes from
//	bytes 44–45  port, little-endian; 0 if the sender does not listen
//	bytes 46–47  0
//	bytes 48–51  version, little-endian: 1
//	bytes 52–55  0
//	bytes 56–63  "cclhello"
//
// Address and port are those at which the sender listens, as in its communicators.
// Bytes 49–63 of headers are 0 in all interface versions, and a peer whose first beat
// has others there is refused.
//
// A peer without a hello, such as a card, begins with a header. It gets the session
// that leads to its IP address, if there is exactly one, otherwise a session of its
// own. This is decided once the port is in use: at the first Receive, or shortly after
// the first Route or Connect.
//
// # Shared memory
//
// With Options.Memory a connection between two TCP ports of one host and one user goes through
// memory (package shm) instead of a socket, and carries the same. A port asks for memory under
// the name of the address at which it listens, before it listens there; who connects looks for
// that first. Ports of other makes, users, hosts or network namespaces are reached over sockets,
// as ever, unless the option is OnlyMemory.
//
// A packet that is whole is written by Send and read by Receive, without another goroutine.
//
// Datagrams makes a port in memory that behaves like one of UDP. The header of a packet has the
// size of the payload in its bytes 52–55 there.
//
// # Sessions
//
// A session leads to one address, as Translate returns it. Its number is the last one
// that Route gave for the address, or else the smallest free one from 0x8000 up:
// session numbers have 16 bits in headers and registers. If Route gives an address the
// session of another one, that one gets a new number; the session 0xFFFFFFFF means
// none yet.
package socket
