// Package sim speaks the simulation protocol, by which host programs reach emulated and
// simulated engines: JSON text on ZeroMQ sockets. It has the messages, for both sides, and a
// client that is an accl.Device.
//
//	e := sim.Endpoints{Port: 5500, Ranks: 4}
//	devices, err := sim.OpenWorld(ctx, platform, e)
//	engines, err := accl.OpenAll(ctx, devices, platform, accl.LocalRanks(4))
//
// # Servers
//
// A Device works with every server of the protocol. Servers of accl-2022 answer a call when it
// has ended. Servers of accl-2024 answer at once, and the client asks for the end of the call.
// The platform decides which form is used. If a server reports the return code of a call in
// its reply (field retcode), many calls can be in flight, also of several programs. For
// servers that do not, the Device reads the return code from the exchange memory after the
// call has ended, where the last call of any client has left it; with a server of accl-2022
// only one call is in flight then.
//
// A request that the server refuses returns a *StatusError with the server's status and text.
// If a connection is lost while calls with ctrl_id are in flight, or the server refuses to
// wait for one, the Device can no longer assign answers to calls: it takes no further calls of
// that client (ErrLost).
//
// # Memory
//
// Clients choose addresses themselves. Several programs on one rank need separate address
// ranges (Options.Base) and separate host controllers (client 0 or 1). Host memory that the
// engine reaches is memory of the server: buffers in it are copied like those in device memory.
//
// # Kernels
//
// On platforms whose kernel stream is not looped back, a Device takes the place of the user
// kernel: Push sends data into the engine, Pull receives data from it. Call ListenKernel before
// the engine is called, so that no data is lost.
//
// # Messages
//
// ParseRequest, ParseReply and ParseData accept every valid JSON form of a message, in time and
// memory proportional to its length. A megabyte of data takes about 5 ms to read, and less to
// write.
package sim
