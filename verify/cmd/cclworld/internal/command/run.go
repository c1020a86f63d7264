// Package command is cclworld: it reads a command line, serves ranks until it
// is told to end, and says what there is.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/gen/workspace"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/faults"
	"github.com/cclforge/cclforge/verify/host"
	"github.com/cclforge/cclforge/verify/internal/program"
	"github.com/cclforge/cclforge/verify/progress"
	"github.com/cclforge/cclforge/verify/world"
)

// Exit codes.
const (
	good   = 0
	failed = 1
	wrong  = 2 // the command line
)

// ending is how long ranks may take to end: clients that read get what is queued
// for them.
const ending = 1500 * time.Millisecond

// Main is cclworld as a process. The first SIGINT or SIGTERM ends it in good
// order, the second one kills it.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(Run(ctx, os.Args[1:], os.LookupEnv, os.Stdout, os.Stderr))
}

// Run serves ranks until the context ends or an engine fails, and returns the
// exit code. Env looks up variables as os.LookupEnv does.
func Run(ctx context.Context, args []string, env func(string) (string, bool), stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return good
	}
	switch {
	case err != nil:
	case o.version:
		_, err = fmt.Fprintln(stdout, "cclworld", program.Version())
	case o.hardware.replay != "":
		err = interrupted(ctx, o.hardware.again(ctx, stdout))
	default:
		err = serveRanks(ctx, o, env, newReport(o.json, stdout, stderr))
	}
	if err == nil {
		return good
	}
	say(stderr, err)
	var usage errUsage
	if errors.As(err, &usage) {
		fmt.Fprintln(stderr, "cclworld -h says what there is")
	}
	if errors.As(err, &usage) || errors.Is(err, lang.ErrInvalid) || errors.Is(err, launch.ErrOption) ||
		errors.Is(err, host.ErrNetwork) || errors.Is(err, host.ErrPorts) {
		return wrong
	}
	return failed
}

// say writes an error; mistakes in descriptions with their source.
func say(w io.Writer, err error) {
	var problems *workspace.Problems
	if !errors.As(err, &problems) {
		fmt.Fprintf(w, "cclworld: %v\n", err)
		return
	}
	fmt.Fprintf(w, "cclworld: %s\n", problems.Count())
	if failed := problems.Show(w, false); failed != nil {
		fmt.Fprintln(w, err)
	}
}

// serveRanks serves ranks until the context ends; nothing went wrong then.
func serveRanks(ctx context.Context, o *options, env func(string) (string, bool), r *report) error {
	ctx = progress.With(ctx, r.log)
	d, err := world.Design(o.platform, o.vars)
	if err != nil {
		return err
	}
	w, err := launch.Resolve(ctx, env, launch.Options{Size: o.n, Ranks: o.ranks, Foreign: o.foreign, Hosts: o.hosts})
	if err != nil {
		return interrupted(ctx, err)
	}
	plan, err := faultsOf(o.faults, w)
	if err != nil {
		return err
	}
	options := o.host(w, plan, r)
	if options.Maker, err = o.hardware.maker(ctx, d, o, w, r); err != nil {
		return interrupted(ctx, err)
	}
	defer o.hardware.save(r)
	h, err := host.Start(ctx, d, options)
	if err != nil {
		return interrupted(ctx, err)
	}
	r.ready(d, w, h, plan)
	return attend(ctx, h, o.health, r)
}

// attend stays with ranks until the context ends or an engine fails, and ends
// them.
func attend(ctx context.Context, h *host.Host, health time.Duration, r *report) error {
	err := watch(ctx, h, health, r)
	closed := make(chan error, 1)
	go func() { closed <- h.Close() }()
	select {
	case closing := <-closed:
		if closing != nil {
			r.log("while ending: %v", closing)
		}
	case <-time.After(ending): // what is left ends with the process
	}
	r.stopped()
	return err
}

// interrupted is no error if the context has ended.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// watch reports the health of ranks until the context ends or an engine does.
func watch(ctx context.Context, h *host.Host, health time.Duration, r *report) error {
	if health > 0 {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		go func() {
			every := time.NewTicker(health)
			defer every.Stop()
			for {
				select {
				case <-every.C:
					r.health(h.Health())
				case <-ctx.Done():
					return
				}
			}
		}()
	}
	rank, err := h.Failed(ctx)
	if ctx.Err() != nil {
		return nil
	}
	err = fmt.Errorf("the engine of rank %d has failed: %w", rank, err)
	r.failed(rank, err)
	return err
}

// faultsOf reads the faults of the network, nil if there are none.
func faultsOf(text string, w launch.World) (*faults.Plan, error) {
	if text == "" {
		return nil, nil
	}
	plan, err := faults.Parse(text)
	if err != nil {
		return nil, err
	}
	if w.Job != "" && plan.SeedChosen() { // all processes are to have the same
		h := fnv.New32a()
		h.Write([]byte(w.Job))
		plan.Seed = int64(h.Sum32())
	}
	return plan, nil
}

// host is what a host is told.
func (o *options) host(w launch.World, plan *faults.Plan, r *report) host.Options {
	network := host.Network(o.network)
	switch {
	case o.network != "auto":
	case len(w.Foreign) > 0:
		network = host.Packets
	case len(w.Local) == w.Size:
		network = host.Local
	default:
		network = host.Sockets
	}
	return host.Options{
		World: w, Network: network, Faults: plan, Serve: true, HostMemory: o.hostMemory,
		Endpoints: sim.Endpoints{Port: o.port}, Listen: o.listenAt, KernelIn: o.kernelHost,
		Limits: zmq.Limits{MessageBytes: int(o.message), Connections: o.connections},
		Engine: emu.Options{ResidentBytes: uint64(o.memory), RemoteTimeout: o.timeout, Patience: o.patience, Kernel: o.kernelAt, OnFault: func(err error) { r.log("%v", err) }},
		Log:    r.log,
	}
}

// suits says which programs a design is for.
func suits(d *design.Design) string { return d.ABI().Doc }
