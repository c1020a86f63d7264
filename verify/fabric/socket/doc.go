// Package socket is the network between engines as real sockets of IPv4: each
// port is the UDP or TCP network engine of one rank, on this host or another.
//
// # UDP
//
// A datagram is a packet: the header beat of 64 bytes, and up to 4032 bytes of
// payload. Who sent it is known by the address that it comes from. Datagrams can
// be lost, on their way or because whoever receives them is too slow; nothing
// else happens to them.
//
// Ports do not let it come to that among themselves. After about 64 KiB to a peer
// the sender sends a mark. The peer answers it with an echo when it has read it and
// has room for more, and says that it is full until then. With more than 256 KiB
// without an echo the sender is busy. It asks again after 100 ms without an answer,
// and goes on after the third time; a peer that has never answered gets no more
// marks then. Marks and answers read as empty messages, too:
//
//	bytes  0–39  0
//	bytes 40–47  what the mark says, little-endian; as it is in the answer
//	bytes 48–51  version, little-endian: 1
//	bytes 52–55  little-endian: 1 mark, 2 echo, 3 full
//	bytes 56–63  "cclpaced"
//
// Options.Unpaced is for worlds with peers that should get no marks at all.
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
// Where nobody listens yet, Connect succeeds all the same. The port dials in the
// background for Options.Patience, and again when something is sent: Send is busy until
// the connection is there.
//
// So that the port at the other end knows who came, the port that connects first
// sends a beat that is no header, the hello:
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
// Address and port are those where the sender listens, as its communicators say
// it. Bytes 49–63 of headers are 0 in all generations, and those of a peer's first
// beat must be, or it is not let in.
//
// A peer that says no hello, as a card, begins with a header. It is the session
// that leads to its IP address, if there is exactly one; otherwise it gets a
// session of its own. Who it is is decided once the port is in use, which is at the
// first Receive, or shortly after the first Route or Connect.
//
// # Sessions
//
// A session leads to one address, as Translate gives it. Its number is what Route
// has said for the address last. Without that it is the smallest free one from
// 0x8000 up: session numbers have 16 bits in headers and registers. If Route gives
// an address the session of another one, that one gets another number; the session
// 0xFFFFFFFF means that there is none yet.
package socket
