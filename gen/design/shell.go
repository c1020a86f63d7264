package design

import (
	"fmt"

	"github.com/cclforge/cclforge/gen/platform"
)

// shell finds the shell that the platform is built into: that of the kernel which
// is a part of one, as the platform has changed it.
func (e *elaboration) shell() {
	own := e.p.Shell
	for _, in := range e.instances {
		if s := in.source.Shell; s != nil && (own == nil || own.Name == s.Name) {
			e.design.Shell = s
			if own != nil {
				e.design.Shell = own
			}
			return
		}
	}
	if own != nil {
		e.errorf(own.Range, "Shell without use", "No kernel of this platform is part of the shell %q: it is linked by v++.",
			own.Name)
	}
}

// CheckShell tells why a design that is part of a shell cannot be built into it;
// nil if it can.
func (d *Design) CheckShell() error {
	s, p := d.Shell, d.Platform
	if s == nil {
		return nil
	}
	if _, ok := s.Device(p.Board); !ok {
		return fmt.Errorf("%s: the shell %s does not know the board %s", s.Range, s.Name, p.Board.Name)
	}
	switch {
	case p.HWEmu:
		return fmt.Errorf("%s: the shell %s cannot be emulated: leave hw_emu out", p.Ranges.HWEmu, s.Name)
	case p.CCLO.Count != 1 || len(p.POEs) != 1:
		return fmt.Errorf(
			"%s: an application of the shell %s has one engine and one network engine; this platform has %d and %d",
			p.CCLO.CountRange, s.Name, p.CCLO.Count, len(p.POEs))
	case p.CCLO.DMA != "external":
		return fmt.Errorf("%s: the engine's DMA is internal, and the shell %s moves the data: say dma = \"external\"",
			p.CCLO.DMARange, s.Name)
	case p.CCLO.DMAEngines+1 > s.Streams:
		return fmt.Errorf("%s: %d DMA engines and the network take %d streams, and the shell %s has %d",
			p.CCLO.DMAEnginesRange, p.CCLO.DMAEngines, p.CCLO.DMAEngines+1, s.Name, s.Streams)
	}
	for _, in := range d.Instances {
		switch {
		case in.Role == "poe" || in.Role == "dma":
		case in.Kernel.Source == platform.SourceXO:
			return fmt.Errorf("%s: kernel %s is there as .xo only, and the shell %s takes RTL and C++", p.Ranges.Block,
				in.Kernel.ID, s.Name)
		default:
			for _, port := range in.Ports {
				if port.Protocol == AXI4 {
					return fmt.Errorf("%s: kernel %s reaches memory by its port %s, and the shell %s has streams only",
						p.Ranges.Block, in.Kernel.ID, port.Name, s.Name)
				}
			}
		}
	}
	return d.checkWindows()
}
