// Package bringup brings up a world: the processes of a program, one for each rank,
// find each other, say what engine each has, check that these fit together, and agree
// that all have configured theirs, or on why not.
//
// A program does this around accl.Open:
//
//	env := bringup.Flags(flag.CommandLine, os.LookupEnv) // before flag.Parse
//	o, err := bringup.FromEnv(env)
//	o.Self = bringup.Describe(p, accl.Rank{IP: own, Port: 5500})
//	w, err := bringup.Join(ctx, o)
//	defer w.Close()
//	ctx, cancel := w.Context(ctx) // ends when a rank leaves
//	defer cancel()
//	e, err := accl.Open(ctx, dev, p, w.Ranks(), w.Rank(), accl.OwnPeers(true))
//	err = w.Ready(ctx, err) // nil on all ranks, or the same error on all
//
// # How it goes
//
// Rank 0 listens where Options.Meet says; the others connect, also before it is there,
// and prove that they know the secret (StepMeet, StepProve). Each sends its Member, and
// gets those of all ranks once they are complete and fit (StepJoin). Then each
// configures its engine (StepConfigure), says whether that worked, and hears of rank 0
// whether it did on all (StepReady). From then on ranks watch each other until they
// Close (StepRun), and can Exchange what they have found out.
//
// What goes wrong is an *Error that names the step, the rank, its address and the
// reason. Rank 0 decides and tells all, so that the text is the same on every rank that
// is there to hear it; ranks that come later hear it as long as rank 0 waits for them,
// up to Options.Silence. What a rank finds alone, it reports alone: that rank 0 does not
// answer, does not share its secret, or speaks another version. When rank 0 dies, all
// others say so. One case no protocol can exclude: if rank 0 dies while it tells that all
// are ready, some ranks hear that they are, and that rank 0 has left right after.
//
// Ranks watch each other by way of rank 0: once it has closed its world in order,
// nobody does any more. Programs in which that matters have rank 0 close last.
//
// # What the secret protects against
//
// Both sides prove that they know the secret and the name of the job, by HMAC-SHA256
// over fresh nonces of both, in different words for either role, so that nothing can be
// replayed or sent back. What follows carries a MAC under keys of that connection, one
// for each direction, with the number of the frame: nothing can be altered, inserted,
// repeated, reordered or left out without ending the connection. Strangers can neither
// join nor, by rubbish, silence or a wrong proof, end or block a bring-up; how many are
// heard at once, for how long, and what is kept of them are bounded.
//
// Nothing is encrypted: who sees the network reads addresses and descriptions, and can
// try out secrets on what it has read, so a secret should be random, such as 32
// hexadecimal digits. Who can change what the network carries can break connections,
// which ends a bring-up, or tell a rank that connects that its secret is wrong. Ranks
// that know the secret trust each other. All of this is about the bring-up alone:
// what engines send each other later is not protected by it.
package bringup
