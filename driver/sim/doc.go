// Package sim speaks the simulation protocol, by which host programs reach
// emulated and simulated engines: JSON text on ZeroMQ sockets. It has the messages,
// for both sides, and the driver's client.
//
//	e := sim.Endpoints{Port: 5500, Ranks: 4}
//	devices, err := sim.OpenWorld(ctx, platform, e)
//	engines, err := accl.OpenAll(ctx, devices, platform, accl.LocalRanks(4))
//
// # Servers
//
// A Device runs on every server of the protocol. Those of accl-2022 answer a call
// when it has ended, those of accl-2024 at once, and are asked for its end; which
// it is follows from the platform. A server that says in its replies what a call
// has returned (field retcode) can have many calls in flight, also of several
// programs. From others the return code is read in the exchange memory after a call
// has ended, where the last call of anybody has left it; a server of accl-2022 has
// one call at a time then.
//
// The server's status and text are the error of what it refuses. If a connection
// is lost while calls with ctrl_id are in flight, or the server refuses to say when
// they end, it is not known any more which answer belongs to which call: the Device
// takes no further calls of that client then (ErrLost).
//
// # Memory
//
// Clients choose addresses themselves. Several programs on one rank need ranges of
// their own (Options.Base), and host controllers of their own (client 0 or 1).
// Host memory that the engine reaches is the server's: buffers in it are copied as
// those in device memory are.
//
// # Kernels
//
// A Device stands in for the user kernel of a platform whose kernel stream is not
// looped back: Push publishes what goes into the engine, Pull takes what comes out.
// ListenKernel, before the engine is called, makes sure that nothing of that is
// lost.
//
// # Messages
//
// ParseRequest, ParseReply and ParseData take JSON of any spelling, in time and
// memory proportional to its length: a megabyte of data takes some 5 ms to read,
// and less to write.
package sim
