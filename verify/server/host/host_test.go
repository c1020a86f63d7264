package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/gopacket/gopacket/pcapgo"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/bringup/launch"
	"github.com/cclforge/cclforge/driver/sim"
	"github.com/cclforge/cclforge/gen/designtest"
	"github.com/cclforge/cclforge/gen/driverview"
	"github.com/cclforge/cclforge/verify/emu"
	"github.com/cclforge/cclforge/verify/fabric"
	"github.com/cclforge/cclforge/verify/fabric/faults"
	"github.com/cclforge/cclforge/verify/internal/ranktest"
)

// part is a world of size ranks on this host, of which some are here.
func part(size int, ranks ...int) launch.World {
	w := launch.World{Size: size, Local: ranks, Processes: 1}
	for range size {
		w.Hosts = append(w.Hosts, loopback)
	}
	return w
}

func all(size int) launch.World {
	ranks := make([]int, size)
	for i := range ranks {
		ranks[i] = i
	}
	return part(size, ranks...)
}

func freePorts(t *testing.T, ranks int) sim.Endpoints {
	t.Helper()
	base, err := FreePorts(PortsPerRank * ranks)
	assert.NilError(t, err)
	return sim.Endpoints{Port: base, Ranks: ranks}
}

func begin(t *testing.T, platform string, o Options) *Host {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	h, err := Start(ctx, designtest.Load(t, platform, nil), o)
	assert.NilError(t, err)
	t.Cleanup(func() {
		assert.Check(t, h.Close())
	})
	return h
}

// sum has all ranks add up vectors, and checks the result.
func sum(t *testing.T, p *accl.Platform, devices []accl.Device, ranks []accl.Rank, o ...accl.OpenOption) {
	t.Helper()
	const n = 3000
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	engines := make([]*accl.Engine, len(devices))
	ranktest.All(t, len(devices), func(i int) (err error) { // all, before one of them sends
		engines[i], err = accl.Open(ctx, devices[i], p, ranks, i, o...)
		return err
	})
	ranktest.All(t, len(devices), func(i int) error { return ranktest.Sum[float32](ctx, engines[i], n, 1) })
}

func TestWorldsOfOneHostAndOfSeveral(t *testing.T) {
	for _, c := range []struct {
		platform string
		network  Network
	}{
		{"u55c_tcp", Local}, {"u55c_udp", Local}, {"u55c_rdma", Local}, {"u280_2022", Local}, {"u280_manual", Local},
		{"u55c_tcp", Sockets}, {"u55c_udp", Sockets}, {"u55c_rdma", Sockets}, {"u280_2022", Sockets},
		{"u280_manual", Sockets},
		{"u55c_tcp", Packets}, {"u55c_udp", Packets}, {"u280_2022", Packets}, {"u280_manual", Packets},
	} {
		t.Run(fmt.Sprint(c.platform, " ", c.network), func(t *testing.T) {
			const n = 3
			p := driverview.Of(designtest.Load(t, c.platform, nil))
			ports := freePorts(t, n)
			worlds := []launch.World{part(n, 0, 1), part(n, 2)}
			if c.network == Local {
				worlds = []launch.World{all(n)}
			}
			var devices []accl.Device
			var ranks []accl.Rank
			for _, w := range worlds {
				h := begin(t, c.platform, Options{World: w, Network: c.network, Endpoints: ports})
				ranks = h.Ranks()
				for _, r := range w.Local {
					devices = append(devices, h.World().Device(r))
				}
			}
			sum(t, &p, devices, ranks)
		})
	}
}

// One goroutine opens rank after rank. What the first one sends waits for the second
// one, which on sockets is not even started by then.
func TestRanksAreOpenedOneAfterAnother(t *testing.T) {
	const n, count = 2, 3000
	ports := freePorts(t, n)
	for _, c := range []struct {
		platform string
		network  Network
	}{
		{"u55c_tcp", Local}, {"u280_2022", Local}, {"u280_manual", Local},
		{"u55c_tcp", Sockets}, {"u280_2022", Sockets}, {"u280_manual", Sockets},
	} {
		t.Run(fmt.Sprint(c.platform, " ", c.network), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			p := driverview.Of(designtest.Load(t, c.platform, nil))
			start := func(ranks ...int) *Host {
				return begin(t, c.platform, Options{World: part(n, ranks...), Network: c.network, Endpoints: ports})
			}
			here := []int{0, 1}
			if c.network == Sockets {
				here = here[:1]
			}
			h := start(here...)
			open := func(rank int) (*accl.Engine, *accl.Buffer[float32]) {
				e, err := accl.Open(ctx, h.World().Device(rank), &p, h.Ranks(), rank)
				assert.NilError(t, err)
				b, err := accl.Alloc[float32](ctx, e, count)
				assert.NilError(t, err)
				return e, b
			}
			first, data := open(0)
			for i := range data.Host() {
				data.Host()[i] = float32(i)
			}
			sending, err := first.World().Send(ctx, data, count, 1, accl.Async())
			assert.NilError(t, err)
			if c.network == Sockets {
				h = start(1)
			}
			second, got := open(1)
			_, err = second.World().Recv(ctx, got, count, 0)
			assert.Check(t, err)
			assert.NilError(t, sending.Wait(ctx))
			assert.Check(t, slices.Equal(got.Host(), data.Host()), "something else was received")
		})
	}
}

// Host memory is there unless it is told not to be, also where the platform has none.
func TestHostMemory(t *testing.T) {
	const n = 2
	ports := freePorts(t, n)
	for _, c := range []struct {
		platform string
		asked    bool
		has      bool
	}{{"u55c_tcp", true, true}, {"u55c_rdma", true, true}, {"u55c_tcp", false, false}, {"u280_2022", true, false}} {
		t.Run(fmt.Sprint(c.platform, " ", c.asked), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			p := driverview.Of(designtest.Load(t, c.platform, nil))
			p.HostMemory = true // as programs expect
			lines := make(chan string, 100)
			h := begin(t, c.platform, Options{World: all(n), Endpoints: ports, Serve: true, HostMemory: c.asked,
				Log: func(format string, args ...any) {
					lines <- fmt.Sprintf(format, args...)
				}})
			devices, err := sim.OpenWorld(ctx, &p, h.Endpoints())
			assert.NilError(t, err)
			if !c.has {
				_, err := devices[0].Alloc(ctx, accl.MemSpec{Bytes: 4, Host: true})
				assert.Check(t, err != nil, "there is host memory")
				line := <-lines
				if !strings.HasPrefix(line, "rank 0: client 127.0.0.1:") || !strings.Contains(line, "does not reach host memory") {
					t.Error(line)
				}
				return
			}
			engines, err := accl.OpenAll(ctx, devices, &p, h.Ranks())
			assert.NilError(t, err)
			ranktest.All(t, n, func(i int) error {
				const count = 3000
				src, err := accl.Alloc[int32](ctx, engines[i], count, accl.HostOnly())
				dst, err2 := accl.Alloc[int32](ctx, engines[i], count, accl.HostOnly())
				if err := errors.Join(err, err2); err != nil {
					return err
				}
				for k := range src.Host() {
					src.Host()[k] = int32(k + i)
				}
				if _, err := engines[i].World().AllReduce(ctx, src, dst, count, accl.Sum); err != nil {
					return err
				}
				for k, got := range dst.Host() {
					if got != int32(2*k+1) {
						return fmt.Errorf("element %d is %d", k, got)
					}
				}
				return nil
			})
			for _, d := range devices {
				assert.Check(t, d.Close())
			}
		})
	}
}

// Clients that say nothing of peers have large messages go by rendezvous from the first
// one on, where all ranks are ours.
func TestClientsOfWorldsOfOurs(t *testing.T) {
	for network, want := range map[Network]uint64{Local: 0, Sockets: 0, Packets: 5} { // eager messages
		t.Run(string(network), func(t *testing.T) {
			const n, count = 2, 5000
			p := driverview.Of(designtest.Load(t, "u55c_tcp", nil))
			h := begin(t, "u55c_tcp", Options{World: all(n), Network: network, Endpoints: freePorts(t, n), Serve: true})
			devices, err := sim.OpenWorld(t.Context(), &p, h.Endpoints())
			assert.NilError(t, err)
			defer func() {
				for _, d := range devices {
					d.Close()
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			// Nothing holds packets back from a rank that has not been opened.
			engines, err := accl.OpenAll(ctx, devices, &p, h.Ranks(), accl.OwnPeers(false))
			assert.NilError(t, err)
			ranktest.All(t, n, func(rank int) error {
				e := engines[rank]
				b, err := accl.Alloc[int32](ctx, e, count)
				if err != nil {
					return err
				}
				if rank == 0 {
					_, err = e.Send(ctx, b, count, 1)
				} else {
					_, err = e.Recv(ctx, b, count, 0)
				}
				return err
			})
			got := h.World().Engine(1).Stats().MessagesIn
			assert.Check(t, got == want, "%d eager messages were received, expected %d", got, want)
		})
	}
}

func TestRanksAreServed(t *testing.T) {
	for _, network := range []Network{Local, Sockets, Packets} {
		t.Run(string(network), func(t *testing.T) {
			const n = 2
			p := driverview.Of(designtest.Load(t, "u55c_tcp", nil))
			h := begin(t, "u55c_tcp", Options{World: all(n), Network: network, Endpoints: freePorts(t, n), Serve: true})
			devices, err := sim.OpenWorld(t.Context(), &p, h.Endpoints())
			assert.NilError(t, err)
			defer func() {
				for _, d := range devices {
					d.Close()
				}
			}()
			sum(t, &p, devices, h.Ranks())
			for i, health := range h.Health() {
				if health.Rank != i || health.Engine.Calls == 0 || health.Served == nil || health.Served.BytesIn == 0 {
					t.Errorf("%+v", health)
				}
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	ports := freePorts(t, 3)
	at := func(i int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(ports.Port+i)) }
	for _, c := range []struct {
		network Network
		kernel  emu.KernelAt
		want    Place
	}{
		{Sockets, emu.Loopback, Place{Rank: 1, Commands: at(1), Packets: at(4), KernelOut: at(7), POE: at(13)}},
		{Sockets, emu.Client, Place{Rank: 1, Commands: at(1), Packets: at(4), KernelOut: at(7), KernelIn: at(10),
			POE: at(13)}},
		{Packets, emu.Loopback, Place{Rank: 1, Commands: at(1), Packets: at(4), KernelOut: at(7)}},
	} {
		h := begin(t, "u55c_tcp", Options{World: part(3, 1), Network: c.network, Endpoints: ports, Serve: true,
			Engine: emu.Options{Kernel: c.kernel}})
		got := h.Places()
		assert.Check(t, len(got) == 1 && got[0] == c.want, "%s: %+v\nexpected %+v", c.network, got, c.want)
		if got := h.Exposed(); len(got) != 0 {
			t.Error(got)
		}
		assert.NilError(t, h.Close())
	}
}

// What ranks here send is captured on every network, and no more.
func TestPacketsAreCaptured(t *testing.T) {
	for _, network := range []Network{Local, Sockets, Packets} {
		const n = 3
		ports, p := freePorts(t, n), driverview.Of(designtest.Load(t, "u55c_udp", nil))
		worlds := []launch.World{part(n, 0, 1), part(n, 2)}
		if network == Local {
			worlds = []launch.World{all(n)}
		}
		var files [2]bytes.Buffer
		var hosts []*Host
		var devices []accl.Device
		for i, w := range worlds {
			o := Options{World: w, Network: network, Endpoints: ports, Packets: []Recording{{To: &files[i]}}}
			hosts = append(hosts, begin(t, "u55c_udp", o))
			for _, r := range w.Local {
				devices = append(devices, hosts[i].World().Device(r))
			}
		}
		sum(t, &p, devices, hosts[0].Ranks())
		for i, h := range hosts {
			assert.NilError(t, h.Close())
			file, err := pcapgo.NewNgReader(&files[i], pcapgo.NgReaderOptions{})
			assert.NilError(t, err)
			var sent [n]int
			for {
				data, info, err := file.ReadPacketData()
				if err == io.EOF {
					break
				}
				assert.NilError(t, err)
				sent[info.InterfaceIndex] += len(data)
			}
			for rank, n := range sent {
				assert.Check(t, is.Equal(n > 3000, slices.Contains(worlds[i].Local, rank)), "%s: rank %d sent %d bytes",
					network, rank, n)
			}
		}
	}
}

// Whoever has subscribed to the packet socket of a rank sees what it sends, on
// every network: the frames are those of the protocol, spelt out here.
func TestPacketsAreShown(t *testing.T) {
	for _, c := range []struct {
		platform, topic string
		network         Network
	}{{"u55c_tcp", "0001", Local}, {"u55c_udp", "0001", Sockets}, {"u280_2022", "1", Local}, {"u280_2022", "1",
		Sockets}, {"u55c_tcp", "0001", Packets}} {
		t.Run(fmt.Sprint(c.platform, " ", c.network), func(t *testing.T) {
			p := driverview.Of(designtest.Load(t, c.platform, nil))
			h := begin(t, c.platform, Options{World: all(2), Network: c.network, Endpoints: freePorts(t, 2), Serve: true})
			at := h.Places()[0].Packets
			sniffer := zmq4.NewSub(t.Context())
			defer sniffer.Close()
			assert.NilError(t, errors.Join(sniffer.Dial("tcp://"+at), sniffer.SetOption(zmq4.OptionSubscribe, c.topic)))
			time.Sleep(100 * time.Millisecond) // subscriptions are not acknowledged
			seen := make(chan zmq4.Msg, 1)
			go func() {
				for {
					m, err := sniffer.Recv()
					if err != nil {
						return
					}
					if len(m.Frames) == 3 && strings.Contains(string(m.Frames[2]), "77,77,77") {
						seen <- m
						return
					}
				}
			}()
			engines := make([]*accl.Engine, 2)
			devices := []accl.Device{h.World().Device(0), h.World().Device(1)}
			ranktest.All(t, len(devices), func(i int) (err error) {
				engines[i], err = accl.Open(t.Context(), devices[i], &p, h.Ranks(), i)
				return err
			})
			ranktest.All(t, len(devices), func(i int) error {
				buf, err := accl.Alloc[int32](t.Context(), engines[i], 16)
				if err != nil {
					return err
				}
				for k := range buf.Host() {
					buf.Host()[k] = 0x4D4D4D4D // bytes of 77
				}
				if i == 0 {
					_, err = engines[i].Send(t.Context(), buf, 16, 1)
				} else {
					_, err = engines[i].Recv(t.Context(), buf, 16, 0)
				}
				return err
			})
			select {
			case m := <-seen:
				var packet struct{ Data []byteNumber }
				err := json.Unmarshal(m.Frames[2], &packet)
				assert.Assert(t, err == nil && string(m.Frames[0]) == c.topic && string(m.Frames[1]) == "0",
					"%q, %v", m.Frames, err)
				// The first word of the header counts the payload of 64 bytes, all 77.
				assert.Check(t, len(packet.Data) == 128 && packet.Data[0] == 64 && packet.Data[64] == 77 && packet.Data[127] == 77,
					"%v", packet.Data)
			case <-time.After(10 * time.Second):
				t.Error("nothing was shown")
			}
		})
	}
}

type byteNumber uint16

func TestWhatOthersReachIsSaid(t *testing.T) {
	everywhere := netip.IPv4Unspecified()
	elsewhere := all(2)
	// as behind a router
	elsewhere.Hosts = []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.1")}
	for _, c := range []struct {
		world   launch.World
		network Network
		client  string
		want    []string
	}{
		{all(2), Local, "127.0.0.1", []string{"ranks listen at 0.0.0.0: anybody"}},
		{all(2), Sockets, "127.0.0.1", []string{"ranks listen at 0.0.0.0: anybody"}},
		{elsewhere, Sockets, "192.0.2.1", []string{"ranks listen at 0.0.0.0: anybody",
			"network engines listen at 0.0.0.0: anybody"}},
	} {
		h := begin(t, "u55c_udp", Options{World: c.world, Network: c.network, Endpoints: freePorts(t, 2), Serve: true,
			Listen: everywhere})
		got := h.Exposed()
		assert.Assert(t, len(got) == len(c.want), "%v", got)
		for i, text := range got {
			assert.Check(t, strings.Contains(text, c.want[i]), "%v", text)
		}
		host := h.Endpoints().Host
		assert.Check(t, host == c.client, "clients are sent to %s", host)
	}
}

// Each socket that is taken is named, and nothing stays bound.
func TestPortsInUseAreNamed(t *testing.T) {
	for _, c := range []struct {
		name, platform, proto string
		network               Network
		offset                int // of the port of rank 1
		text                  string
	}{
		{"commands", "u55c_tcp", "tcp", Local, 1, "command socket"},
		{"kernel", "u55c_tcp", "tcp", Local, 5, "kernel output socket"},
		{"packets", "u55c_tcp", "tcp", Packets, 3, "packet socket"},
		{"packets that are shown", "u55c_tcp", "tcp", Local, 3, "packet socket"},
		{"TCP", "u55c_tcp", "tcp", Sockets, 9, "network engine"},
		{"UDP", "u55c_udp", "udp", Sockets, 9, "network engine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ports := freePorts(t, 2)
			taken := net.JoinHostPort("127.0.0.1", strconv.Itoa(ports.Port+c.offset))
			release := occupy(t, c.proto, taken)
			o := Options{World: all(2), Network: c.network, Endpoints: ports, Serve: true}
			_, err := Start(t.Context(), designtest.Load(t, c.platform, nil), o)
			assert.Assert(t, errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, fabric.ErrAddressInUse), "%v", err)
			for _, text := range []string{"rank 1", taken, c.text, "-port"} {
				assert.Check(t, strings.Contains(err.Error(), text), "%v\nlacks %q", err, text)
			}
			release()
			begin(t, c.platform, o)
		})
	}
}

func occupy(t *testing.T, proto, at string) (release func()) {
	t.Helper()
	if proto == "udp" {
		c, err := net.ListenPacket("udp4", at)
		assert.NilError(t, err)
		return func() { c.Close() }
	}
	l, err := net.Listen("tcp4", at)
	assert.NilError(t, err)
	return func() { l.Close() }
}

func TestWorldsThatCannotBe(t *testing.T) {
	plan, err := faults.Parse(`{kills = [{rank = 7, at = "1s"}]}`)
	assert.NilError(t, err)
	foreign := part(2, 0)
	foreign.Foreign = []int{1}
	elsewhere := part(2, 0)
	elsewhere.Hosts[0] = netip.MustParseAddr("192.0.2.1") // of nobody
	for _, c := range []struct {
		name, platform string
		o              Options
		is             error
		text           string
	}{
		{"no ranks", "u55c_tcp", Options{World: part(2)}, nil, "0 ranks of 2 here"},
		{"part of a world in process", "u55c_tcp", Options{World: part(2, 1)}, ErrNetwork, "this one has 1 of 2"},
		{"foreign ranks on sockets", "u55c_tcp", Options{World: foreign, Network: Sockets}, ErrNetwork,
			"on the network packets, not sockets"},
		{"RDMA on packets", "u55c_rdma", Options{World: foreign, Network: Packets}, ErrNetwork, "u55c_rdma is RDMA"},
		{"too many ranks", "u55c_tcp", Options{World: all(200), Endpoints: sim.Endpoints{Port: 65000}}, ErrPorts,
			"200 ranks take 5 each from 65000 on"},
		{"faults of ranks that are not", "u55c_tcp", Options{World: all(2), Faults: plan}, nil, "There is no rank 7"},
		{"another host", "u55c_tcp", Options{World: elsewhere, Network: Sockets}, syscall.EADDRNOTAVAIL,
			"this host does not have that address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.o.Endpoints.Port == 0 {
				c.o.Endpoints = freePorts(t, 2)
			}
			h, err := Start(t.Context(), designtest.Load(t, c.platform, nil), c.o)
			assert.Check(t, err != nil && (c.is == nil || errors.Is(err, c.is)) && strings.Contains(err.Error(), c.text),
				"%v, should have %q", err, c.text)
			assert.Check(t, h == nil, "there is a host")
		})
	}
}
