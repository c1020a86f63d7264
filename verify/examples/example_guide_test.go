package examples_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"golang.org/x/sync/errgroup"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/verify/world"
)

// The steps of a configuration one by one, as each rank of a program takes
// them; accl.Open does them all. In turn they give the engine buffers for
// messages, tell it who the ranks are, and open ports and TCP sessions.
func Example_configuration() {
	const nbufs, bufsize = 16, 16384
	ctx := context.Background()
	w, err := world.Load(ctx, "u55c_tcp", "", 2, world.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	platform, err := world.Platform("u55c_tcp", "")
	if err != nil {
		log.Fatal(err)
	}

	configure := func(rank int) (*accl.Engine, error) {
		engine, err := accl.New(w.Device(rank), platform)
		if err != nil {
			return nil, err
		}
		if err := engine.SetupRxBuffers(ctx, nbufs, bufsize); err != nil {
			return nil, err
		}
		if _, err := engine.ConfigureCommunicator(ctx, w.Ranks(), rank); err != nil {
			return nil, err
		}
		if err := engine.OpenPort(ctx); err != nil {
			return nil, err
		}
		return engine, engine.OpenCon(ctx)
	}
	engines := make([]*accl.Engine, w.Size())
	var ranks errgroup.Group
	for rank := range engines {
		ranks.Go(func() (err error) {
			engines[rank], err = configure(rank)
			return err
		})
	}
	if err := ranks.Wait(); err != nil {
		log.Fatal(err)
	}

	for _, e := range engines {
		buffers, err := e.DumpRxBuffers(ctx, false)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("rank %d of %d: %d rx buffers, the first of %d bytes and %s\n",
			e.Rank(), e.Size(), len(buffers), buffers[0].Size, buffers[0].State)
	}
	// Output:
	// rank 0 of 2: 16 rx buffers, the first of 16384 bytes and enqueued
	// rank 1 of 2: 16 rx buffers, the first of 16384 bytes and enqueued
}

// Rank 1 sends what is in its card's memory, and rank 0 receives it into host
// memory.
func Example_sendRecv() {
	const bs = 16384
	run("u55c_tcp", 2, func(ctx context.Context, e *accl.Engine) (string, error) {
		txb, err := accl.Alloc[float32](ctx, e, bs)
		if err != nil {
			return "", err
		}
		rxb, err := accl.Alloc[float32](ctx, e, bs)
		if err != nil {
			return "", err
		}
		switch e.Rank() {
		case 0:
			if _, err := e.Recv(ctx, rxb, bs, 1, accl.WithTag(1)); err != nil {
				return "", err
			}
			return fmt.Sprint("has ", rxb.Host()[0], rxb.Host()[1], " to ", rxb.Host()[bs-1]), nil
		case 1:
			for i := range txb.Host() {
				txb.Host()[i] = float32(i) / 2
			}
			if err := txb.SyncToDevice(ctx); err != nil {
				return "", err
			}
			clear(txb.Host()) // what counts is on the card
			_, err := e.Send(ctx, txb, bs, 0, accl.WithTag(1), accl.FromFPGA())
			return "", err
		}
		return "", nil
	})
	// Output:
	// rank 0: has 0 0.5 to 8191.5
}

// An allreduce returns at once with a request, and the allgather after it
// waits for that request before it starts. Operands come from host memory, and
// results stay on the card.
func Example_chaining() {
	const bs, count = 16384, 256
	run("u55c_tcp", 4, func(ctx context.Context, e *accl.Engine) (string, error) {
		txb, err := accl.Alloc[float32](ctx, e, bs)
		if err != nil {
			return "", err
		}
		rxb, err := accl.Alloc[float32](ctx, e, bs)
		if err != nil {
			return "", err
		}
		for i := range txb.Host() {
			txb.Host()[i] = float32(e.Rank() + 1)
		}
		ch, err := e.AllReduce(ctx, txb, rxb, count, accl.Sum, accl.ToFPGA(), accl.Async())
		if err != nil {
			return "", err
		}
		if _, err := e.AllGather(ctx, txb, rxb, count, accl.ToFPGA(), accl.After(ch)); err != nil {
			return "", err
		}
		if err := rxb.SyncFromDevice(ctx); err != nil {
			return "", err
		}
		said := ch.Op() + " done, then blocks of"
		for block := range e.Size() {
			said += fmt.Sprintf(" %v", rxb.Host()[block*count])
		}
		return said, nil
	})
	// Output:
	// rank 0: allreduce done, then blocks of 1 2 3 4
	// rank 1: allreduce done, then blocks of 1 2 3 4
	// rank 2: allreduce done, then blocks of 1 2 3 4
	// rank 3: allreduce done, then blocks of 1 2 3 4
}

// Close resets the engine and frees what it took for itself. Buffers of the
// program stay until it frees them.
func Example_release() {
	ctx := context.Background()
	e, end := alone(ctx)
	defer end()
	buffer, err := accl.Alloc[float32](ctx, e, 256)
	if err != nil {
		log.Fatal(err)
	}

	fmt.Println("close:", e.Close(ctx))
	_, err = e.Nop(ctx)
	fmt.Println("call after it is refused:", errors.Is(err, accl.ErrClosed))
	fmt.Println("own buffer:", len(buffer.Host()), "elements, free:", buffer.Free())
	// Output:
	// close: <nil>
	// call after it is refused: true
	// own buffer: 256 elements, free: <nil>
}
