// Package bringup brings up a world: the processes of a program, one for each rank, find each
// other, exchange descriptions of their engines, check that the engines fit together, and agree
// that all are configured, or on the error.
//
// A program calls it around accl.Open:
//
//	env := bringup.Flags(flag.CommandLine, os.LookupEnv) // before flag.Parse
//	o, err := bringup.FromEnv(env)
//	o.Self = bringup.Describe(p, accl.Rank{IP: own, Port: 5500})
//	w, err := bringup.Join(ctx, o)
//	defer w.Close()
//	ctx, cancel := w.Context(ctx) // ends when a rank leaves
//	defer cancel()
//	e, err := accl.Open(ctx, dev, p, w.Ranks(), w.Rank(), accl.OwnPeers(true), w.Reports())
//	err = w.Ready(ctx, err) // nil on all ranks, or the same error on all
//
// # Steps
//
// Rank 0 listens at Options.Meet. The others connect, and try again until it listens; both sides
// prove that they know the secret (StepMeet, StepProve). Each rank sends its Member, and receives
// those of all ranks once they are complete and fit together (StepJoin). Then each rank
// configures its engine (StepConfigure), reports the result, and learns from rank 0 whether all
// ranks have succeeded (StepReady). From then on ranks watch each other until they Close
// (StepRun), can Exchange data, meet at points (Arrive), and ask each other questions (Ask). By Reports,
// calls that time out name causes at other ranks.
//
// Failures are *Error with the step, the rank, its address and the reason. Rank 0 decides and
// tells all, so that every rank that it reaches returns the same text; ranks that come later
// receive it as long as rank 0 waits for them, up to Options.Silence. A rank reports on its own
// that rank 0 does not answer, does not share its secret, or speaks another version of the
// protocol, or that something else answers at its port. If rank 0 dies, all others report it. No
// protocol can exclude one case: if rank 0 dies while it announces that all are ready, some ranks
// receive the announcement, and right after it that rank 0 has left.
//
// Ranks watch each other through rank 0: after rank 0 has closed its world in order, nobody
// watches, or can be asked. If that matters, let rank 0 close last, as it does after a failed call (World.Reports).
//
// # Security
//
// Both sides prove that they know the secret and the name of the job, by HMAC-SHA256 over fresh
// nonces of both sides, with a different prefix for each role, so that proofs can neither be
// replayed nor reflected. All further frames carry a MAC under keys of the connection, one for
// each direction, with the number of the frame: frames that are altered, inserted, repeated,
// reordered or left out end the connection. Strangers can neither join a bring-up, nor end or
// block it by invalid data, silence or a wrong proof; their number, their time and the memory
// for their data are limited.
//
// Nothing is encrypted. Whoever reads the network sees addresses and descriptions, and can try
// secrets against recorded proofs, so use a random secret, such as 32 hexadecimal digits. Whoever
// changes network traffic can break connections, which ends a bring-up, or tell a connecting rank
// that its secret is wrong. Ranks that know the secret trust each other. The secret protects only
// the bring-up, not the messages of engines.
package bringup
