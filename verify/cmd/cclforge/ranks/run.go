// Package ranks holds the verbs of cclforge that serve ranks of a platform, emulated or
// simulated, to host programs that speak the simulation protocol, and spread them over
// processes and hosts.
//
// With --json it prints an object a line:
//
//	{"event":"ready","pid":8687,"platform":"u55c_tcp","board":"u55c","generation":"accl-2024","stack":"tcp",
//	 "network":"mixed","host":"127.0.0.1","port":5500,"size":4,"launcher":"OpenMPI","process":0,"processes":2,
//	 "faults":"{…}","metrics":"http://…","warnings":["…"],
//	 "ranks":[{"rank":0,"commands":"127.0.0.1:5500","packets":"127.0.0.1:5504",
//	 "kernel_out":"127.0.0.1:5508","kernel_in":"127.0.0.1:5512","poe":"127.0.0.1:5516"}]}
//	{"event":"health","rank":0,"clients":1,"calls":7,"calls_open":0,"requests":{"mmio_read":9,…},"refused":0,
//	 "bytes_in":0,"bytes_out":0,"packets_out":0,"packets_in":0,"network_out":0,"network_in":0,"dropped":0,
//	 "rx_used":0,"rx_free":16,"device_bytes":0,"kernels":[{"instance":"vadd_0_0","doing":"…",
//	 "streams":[{"name":"data_to_cclo","beats":0},…]}],"network":"…","failure":"…"}
//	{"event":"failed","rank":0,"error":"…"}
//	{"event":"stopped"}
//
// Ready comes when all sockets are bound; host and port are where clients of these
// ranks connect. Of health, calls_open and what follows rx_used are of now, the
// rest counts from the start, in requests, packets and bytes.
//
// Ranks are those of the process; addresses that a rank does not have, and what
// is empty, are left out.
package ranks

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"time"

	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/driver/sim/zmq"
	"github.com/cclforge/cclforge/gen/command"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric/faults"
	"github.com/cclforge/cclforge/verify/internal/report"
	"github.com/cclforge/cclforge/verify/server/host"
	"github.com/cclforge/cclforge/verify/world"
)

// ending is how long ranks may take to end: clients that read get what is queued
// for them.
const ending = 1500 * time.Millisecond

// asked makes an error one of usage if it says that what was asked for makes no sense.
func asked(err error) error {
	return command.AskedWrongly(err, lang.ErrInvalid, launch.ErrOption, host.ErrNetwork, host.ErrPorts)
}

// serveRanks serves ranks until the context ends; nothing went wrong then.
func serveRanks(ctx context.Context, o *options, env func(string) (string, bool), r *reporter) error {
	ctx = report.With(ctx, r.log)
	d, err := world.Design(o.platform, o.vars)
	if err != nil {
		return err
	}
	w, err := o.resolve(ctx, env)
	if err != nil {
		return interrupted(ctx, err)
	}
	plan, err := faultsOf(o.faults, w)
	if err != nil {
		return err
	}
	options := o.host(w, plan, r)
	if options.Maker, err = o.hardware.maker(ctx, d, o, w); err != nil {
		return interrupted(ctx, err)
	}
	defer o.hardware.save(r)
	if o.packets != "" {
		file, err := os.Create(cardFile(o.packets, w.Local[0]))
		if err != nil {
			return fmt.Errorf("--packets: %w", err)
		}
		defer file.Close()
		options.Packets = append(options.Packets, host.Recording{To: file})
	}
	metered, err := o.metered(d, env, &options)
	if err != nil {
		return fmt.Errorf("--metrics: %w", err)
	}
	if metered != nil {
		defer metered.Close()
		r.metrics = metered.URL
	}
	t, err := o.traced(d, w, &options)
	if err != nil {
		return err
	}
	h, err := host.Start(ctx, d, options)
	if err != nil {
		return interrupted(ctx, err)
	}
	r.ready(d, w, h, plan)
	return attend(ctx, h, o.health, r, t)
}

// resolve says which ranks this process serves. Without a launcher it has some by default.
func (o *options) resolve(ctx context.Context, env func(string) (string, bool)) (launch.World, error) {
	asked := launch.Options{Size: o.n, Ranks: o.ranks, Foreign: o.foreign, Hosts: o.hosts}
	w, err := launch.Resolve(ctx, env, asked)
	if err == nil && w.Launcher == "" && o.n == 0 && o.ranks == "" && o.foreign == "" && o.hosts == "" {
		asked.Size = DefaultRanks
		return launch.Resolve(ctx, env, asked)
	}
	return w, err
}

// attend stays with ranks until the context ends or an engine fails, and ends
// them. Then it writes their trace.
func attend(ctx context.Context, h *host.Host, health time.Duration, r *reporter, t *traced) error {
	err := watch(ctx, h, health, r)
	t.read(ctx, h, r)
	closed := make(chan error, 1)
	go func() { closed <- h.Close() }()
	select {
	case closing := <-closed:
		if closing != nil {
			r.log("while ending: %v", closing)
		}
		t.captures(h)
	case <-time.After(ending): // what is left ends with the process
	}
	err = errors.Join(err, t.write(r))
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
func watch(ctx context.Context, h *host.Host, health time.Duration, r *reporter) error {
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

func (o *options) host(w launch.World, plan *faults.Plan, r *reporter) host.Options {
	network := host.Network(o.network)
	switch {
	case o.network != "auto":
	case len(w.Foreign) > 0:
		network = host.Packets
	case len(w.Local) == w.Size:
		network = host.Local
	default:
		network = host.Mixed
	}
	return host.Options{
		World: w, Network: network, Faults: plan, Serve: true, HostMemory: o.hostMemory,
		Endpoints: sim.Endpoints{Port: o.port}, Listen: o.listenAt, KernelIn: o.kernelHost,
		Limits: zmq.Limits{MessageBytes: int(o.message), Connections: o.connections},
		Engine: emu.Options{ResidentBytes: uint64(o.memory), RemoteTimeout: o.timeout, Patience: o.patience,
			Kernel: o.kernelAt, OnFault: func(err error) { r.log("%v", err) }},
		Log: r.log,
	}
}

func suits(d *design.Design) string { return d.ABI().Doc }
