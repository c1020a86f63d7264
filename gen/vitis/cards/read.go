package cards

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/network"
)

func (l *look) engine(ctx context.Context, instance string) (Engine, error) {
	out := Engine{Name: instance}
	var id accl.HardwareID
	var ready uint32
	var in accl.Inspection
	failed, err := l.with(ctx, func(open func(string) (layout.Registers, error)) error {
		r, err := open(instance)
		if err != nil {
			return err
		}
		word, err := l.word(ctx, r, "hardware_id")
		if err != nil {
			return err
		}
		id = l.platform.DecodeHardwareID(word)
		if l.platform.Features.ConfigReady {
			if ready, err = l.word(ctx, r, "config_ready"); err != nil {
				return err
			}
		}
		if in, err = l.platform.Inspect(ctx, r.Read); errors.Is(err, accl.ErrNoInspection) {
			return nil
		}
		return err
	})
	if err != nil {
		return out, err
	}
	if failed != nil {
		out.State = l.state(instance, failed)
		return out, nil
	}
	out.Hardware = &Hardware{
		ID: fmt.Sprintf("0x%08X", id.Word), Stack: id.Stack, InternalDMA: id.InternalDMA, ExternalDMA: id.ExternalDMA,
		Arithmetic:  id.Arithmetic,
		Compression: id.Compression, KernelStreams: id.KernelStreams, Debug: id.Debug,
		Revision: fmt.Sprintf("%06x", id.Revision),
	}
	if in.Halted {
		out.State, out.Halted = Halted, in.Processor(accl.Inspection{})
		return out, nil
	}
	if err := l.platform.CheckHardwareID(id); err != nil {
		// Nothing else that it says means anything then.
		l.remarks = append(l.remarks, instance+": "+err.Error())
		out.State = Other
		return out, nil
	}
	if out.State = Answers; l.platform.Features.ConfigReady {
		configured := ready != 0
		out.Configured = &configured
		if out.State = NotConfigured; configured {
			out.State = Configured
		}
	}
	return out, nil
}

// word reads a word of the exchange memory.
func (l *look) word(ctx context.Context, r layout.Registers, name string) (uint32, error) {
	for _, w := range l.platform.Exchange.Words {
		if w.Name == name {
			return r.Read(ctx, w.At)
		}
	}
	return 0, fmt.Errorf("%w: generation %s has no word %s", ErrDesign, l.platform.Generation, name)
}

func (l *look) network(ctx context.Context, engine int) error {
	of := l.design.Of(engine, layout.Engine)[0].Name
	kind, name, err := network.Find(&l.design, engine)
	if err != nil {
		l.remarks = append(l.remarks, err.Error())
		return nil
	}
	out := Network{Name: name, Kind: kind, Engine: of, State: Answers}
	if kind == network.KindUDP || kind == network.KindTCP { // others have no registers
		var s network.Status
		failed, err := l.with(ctx, func(open func(string) (layout.Registers, error)) error {
			stack, err := network.Of(&l.design, engine, open)
			if err == nil {
				s, err = stack.State(ctx)
			}
			return err
		})
		switch {
		case err != nil:
			return err
		case failed != nil:
			out.State = l.state(name, failed)
		default:
			tell(&out, s)
		}
	}
	l.networks = append(l.networks, out)
	return nil
}

// tell puts what a network says into a form for scripts.
func tell(out *Network, s network.Status) {
	if s.IP.IsValid() && !s.IP.IsUnspecified() {
		out.Address = s.IP.String()
		if s.Kind == network.KindUDP {
			out.Address = netip.PrefixFrom(s.IP, s.MaskBits).String()
		}
	}
	if s.Kind == network.KindUDP {
		neighbors := len(s.Neighbors)
		out.Gateway, out.MAC = s.Gateway.String(), s.MAC
		out.Sockets, out.Neighbors = &Entries{Used: len(s.Sockets), Size: s.SocketTable}, &neighbors
		counts := map[string]uint64{}
		for _, c := range s.Counters {
			counts[c.Name] = c.Value
		}
		out.Packets = &Packets{FromMAC: counts["eth_in_packets"], ARP: counts["arp_in_packets"],
			ICMP: counts["icmp_in_packets"], ToEngine: counts["app_in_packets"], FromEngine: counts["app_out_packets"],
			ToMAC: counts["eth_out_packets"]}
	}
	if l := s.Link; l != nil {
		out.Link = &MAC{Name: l.Instance, Up: l.Up, FEC: l.FEC, Sending: l.Sending, Says: append([]string{}, l.Says...)}
	}
}
