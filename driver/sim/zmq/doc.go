// Package zmq speaks ZeroMQ over TCP to peers that it does not trust.
//
// Greeting, handshake and frames are those of github.com/go-zeromq/zmq4, with the NULL
// mechanism. This package adds limits on what a peer may send, a deadline for handshakes,
// buffered reading and writing, a server that handles its peers concurrently, and a publisher
// that never drops a message.
//
// Messages are as they are on the wire. A REQ socket puts an empty frame before its body and
// expects one before the reply, so a Conn of kind REQ sends and receives {"", body}, and a Conn
// of kind REP returns all frames up to and including the first empty one before its reply. A
// SUB connection subscribes with a message of one frame: 1 and the topic.
package zmq
