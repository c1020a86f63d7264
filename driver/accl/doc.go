// Package accl drives collective engines: it configures an engine on a card, in an
// emulator or in a simulator, and has it run primitives and collectives.
//
// A program opens one Engine for each rank that it hosts, allocates buffers in the
// engine's memory and calls operations on a communicator:
//
//	e, err := u55c_tcp.Open(ctx, dev, ranks, local)
//	src, err := accl.Alloc[float32](ctx, e, 1000)
//	dst, err := accl.Alloc[float32](ctx, e, 1000)
//	_, err = e.AllReduce(ctx, src, dst, 1000, accl.Sum)
//
// A Platform describes an engine and its interface; generated packages provide it as a
// value. A Device is the connection to an engine.
//
// # Arguments
//
// Counts are numbers of elements. A root, source or destination is a Peer, the index of
// a rank in the communicator, and a tag is a Tag, so that arguments in the wrong order do
// not compile. Constants need no conversion, variables do:
//
//	_, err = e.Bcast(ctx, buf, 1000, 0)
//	_, err = e.Send(ctx, buf, n, accl.Peer(next), accl.WithTag(7))
//
// # Host and device
//
// A buffer has a copy in host memory and one in the engine's memory. Operations copy
// their operands to the device first, and their results to the host afterwards. FromFPGA
// and ToFPGA skip these copies. A HostOnly buffer exists once, in host memory that the
// engine reaches directly; only devices behind a socket copy it too.
//
// Elements may have any type of the platform, including types declared in its HCL: Alloc
// is for types that Go has, AllocAs for types that a Go type of the same size represents,
// AllocRaw for all others, as bytes.
//
// # Kernels beside the engine
//
// CallKernel, and the functions of generated packages that use it, call kernels of the
// card. A kernel that calls the engine itself names its communicator by Comm.Address and
// its arithmetic configuration by Engine.ConfigAddress. Memory is passed to kernels by
// Buffer.Address. They work on the device's copy: SyncToDevice and SyncFromDevice copy to
// and from it.
//
// # Synchronous and asynchronous
//
// Operations wait for the engine's answer; with Async they return as soon as the call is
// placed. The context bounds placing and, without Async, waiting. The end of the context
// does not cancel a call that was placed: its buffers belong to the engine until
// Request.Done is closed, and Buffer.Free returns ErrBusy until then. The device has time
// limits of its own; in addition, a wait without a deadline ends after WaitLimit, with
// ErrTimeout.
//
// # Order
//
// Calls of one engine start in the order in which they are placed. A call that waits for
// a remote rank lets later ones pass, so two asynchronous calls on the same buffers have
// no order; After makes a call wait until others have succeeded. All ranks of a
// communicator must place its collectives in the same order.
//
// If ranks make different collective calls, or one rank leaves a call out, the calls end
// with an error and use no data of each other. A collective that fails breaks its
// communicator: all ranks refuse further ones with ErrBroken until every rank has called
// Recover or was reset.
//
// # Concurrency
//
// All methods of Engine, Comm and Request may be called concurrently, as may those of
// buffers. While a call uses a buffer, the program must not touch its Host slice or call
// its Sync methods. Concurrent calls on one communicator have no defined order, which
// collectives need; give each goroutine a communicator of its own (Split).
//
// Configuration (SetupRxBuffers to Enable, Split, Communicator, Reset, Close) excludes
// itself and the placing of calls. Reset and Close end calls in flight with an error.
// After a Reset of one rank, reset the others too before any of them communicates: ranks
// number their messages, and a reset restarts the numbers.
package accl
