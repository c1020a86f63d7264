// Cluster is a program of which mpirun or srun starts a process for each rank, on any
// hosts: the processes find each other, open their engines, and add up their numbers.
//
//	go tool mage emulate u55c_tcp -n=4      # in another shell: the engines
//	export CCLFORGE_SECRET=$(openssl rand -hex 16)
//	go build -o out/bin/cluster ./verify/examples/cluster
//	mpirun --oversubscribe -np 4 out/bin/cluster
//
// Its engines are served over the simulation protocol. On cards the line with sim.Open is
// another one, and the platform is that of a generated package.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/verify/world"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	port := flag.Int("port", sim.DefaultPort, "starting `port` of the server of the engines, on this host")
	timeout := flag.Duration("timeout", time.Minute, "`time` until all ranks are there")
	env := bringup.Flags(flag.CommandLine, os.LookupEnv)
	flag.Parse()

	// Who is this process, and where does it meet the others?
	o, err := bringup.FromEnv(env)
	if err != nil {
		return err
	}
	o.Timeout = *timeout

	// The engine of its rank.
	p, err := world.Platform("u55c_tcp", "")
	if err != nil {
		return err
	}
	dev, err := sim.Open(ctx, p, sim.Options{Endpoints: sim.Endpoints{Port: *port, Ranks: o.Size}, Rank: o.Rank})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dev.Close()) }()

	// All ranks meet, open their engines with the addresses of all, and agree that they have.
	o.Self = bringup.Describe(p, accl.LocalRanks(o.Size)[o.Rank])
	w, err := bringup.Join(ctx, o)
	if err != nil {
		return err
	}
	defer w.Close()
	ctx, cancel := w.Context(ctx) // ends when a rank leaves
	defer cancel()
	e, err := accl.Open(ctx, dev, p, w.Ranks(), w.Rank(), accl.OwnPeers(true), w.Reports())
	if e != nil {
		defer func() { err = errors.Join(err, e.Close(context.WithoutCancel(ctx))) }()
	}
	if err := w.Ready(ctx, err); err != nil {
		return err
	}
	if err := work(ctx, e); err != nil {
		return err
	}
	// Nobody leaves before all are done.
	_, err = w.Exchange(ctx, nil)
	if err == nil && w.Rank() == 0 {
		fmt.Printf("%d ranks have added up their numbers\n", w.Size())
	}
	return err
}

// work adds up what the ranks have, and checks it.
func work(ctx context.Context, e *accl.Engine) error {
	const n = 10_000
	src, err := accl.Alloc[float32](ctx, e, n)
	if err != nil {
		return err
	}
	dst, err := accl.Alloc[float32](ctx, e, n)
	if err != nil {
		return err
	}
	for i := range src.Host() {
		src.Host()[i] = float32(i * (e.Rank() + 1))
	}
	if _, err := e.AllReduce(ctx, src, dst, n, accl.Sum); err != nil {
		return err
	}
	for i, got := range dst.Host() {
		if want := float32(i * e.Size() * (e.Size() + 1) / 2); got != want {
			return fmt.Errorf("rank %d: element %d is %v, not %v", e.Rank(), i, got, want)
		}
	}
	return errors.Join(src.Free(), dst.Free())
}
