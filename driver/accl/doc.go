// Package accl drives collective engines: it configures an engine on a card,
// in an emulator or in a simulator, and has it run primitives and collectives.
//
// A program opens one Engine for each rank that it hosts, allocates buffers in
// the engine's memory and calls operations on a communicator:
//
//	e, err := u55c_tcp.Open(ctx, dev, ranks, local)
//	src, err := accl.Alloc[float32](ctx, e, 1000)
//	dst, err := accl.Alloc[float32](ctx, e, 1000)
//	_, err = e.AllReduce(ctx, src, dst, 1000, accl.Sum)
//
// What an engine is and speaks is a Platform, a value that generated packages
// provide; a Device is the way to it.
//
// # Host and device
//
// A buffer has a copy in host memory and one in the engine's. Operations copy
// their operands to the device before, and results to the host after; FromFPGA
// and ToFPGA leave that out, for data that is already there or not needed here.
// Buffers of HostOnly exist once, in host memory that the engine reaches, but on
// devices that are reached over a socket.
//
// Elements may be of any type of the platform, also of those that it declares
// itself: Alloc is for types that Go has, AllocAs for types that a type of Go
// represents, AllocRaw for all others, as bytes.
//
// # Kernels beside the engine
//
// CallKernel, and the functions of generated packages that use it, call kernels of
// the card. Kernels may call the engine themselves: what they pass as communicator
// is Comm.Address, as arithmetic configuration Engine.ConfigAddress. Memory is passed
// by Buffer.Address, and is the device's: SyncToDevice and SyncFromDevice bring it
// there and back.
//
// # Synchronous and asynchronous
//
// Operations wait for the engine's answer; with Async they return as soon as
// the call is placed. The context bounds placing and, without Async, waiting.
// A call that was placed is not taken back when the context ends: the buffers
// stay the engine's until the request is done, which Request.Done says, and
// Buffer.Free answers ErrBusy until then. The device keeps its own time limits;
// on top of that a wait without a deadline ends after WaitLimit, with ErrTimeout.
//
// # Order
//
// Calls of one engine start in the order in which they are placed. A call that
// waits for a remote rank lets later ones pass, so two asynchronous calls on
// the same buffers have no order; After makes a call wait until others are done
// without error. Calls of all ranks of a communicator must be placed in the same
// order.
//
// Collectives that differ, or that one rank leaves out, end with an error and use
// no data of each other. A collective that fails breaks its communicator: further
// ones are refused with ErrBroken, on all ranks, until all of them have called
// Recover, or were reset.
//
// # Concurrency
//
// All methods of Engine, Comm and Request may be called concurrently, as may
// those of buffers, except that the program must not touch Host, nor call Sync
// methods, of a buffer that a call in flight uses. Concurrent calls on one
// communicator have no defined order, which collectives need; give each
// goroutine its own communicator (Split).
//
// Configuration (SetupRxBuffers to Enable, Split, Communicator, Reset, Close)
// excludes itself and the placing of calls. Reset and Close answer calls in
// flight with an error; after a Reset of one rank the others must be reset too,
// before any of them communicates, because messages are counted between ranks.
package accl
