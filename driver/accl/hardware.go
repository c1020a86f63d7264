package accl

import (
	"context"
	"fmt"
	"strings"
)

// HardwareID lists the parts that an engine was built with.
type HardwareID struct {
	Word          uint32
	Stack         string // network stack: "udp", "tcp" or "rdma"
	InternalDMA   bool
	ExternalDMA   bool
	Arithmetic    bool // can reduce
	Compression   bool // can convert between element types
	KernelStreams bool
	Debug         bool
	Revision      uint32 // first 24 bits of the source revision
}

// DecodeHardwareID decodes a hardware id word of the platform's interface version.
func (p *Platform) DecodeHardwareID(word uint32) HardwareID {
	id := HardwareID{Word: word}
	for _, f := range p.HardwareID.Fields {
		v := f.of(word)
		switch f.Name {
		case "stack":
			id.Stack = nameOf(p.Stacks, v)
		case "internal_dma":
			id.InternalDMA = v != 0
		case "external_dma":
			id.ExternalDMA = v != 0
		case "arithmetic":
			id.Arithmetic = v != 0
		case "compression":
			id.Compression = v != 0
		case "kernel_streams":
			id.KernelStreams = v != 0
		case "debug":
			id.Debug = v != 0
		case "revision":
			id.Revision = v
		}
	}
	return id
}

// String lists the parts of the engine.
func (id HardwareID) String() string {
	text := []string{id.Stack}
	for _, part := range []struct {
		name string
		has  bool
	}{
		{"internal DMA", id.InternalDMA}, {"external DMA", id.ExternalDMA}, {"arithmetic", id.Arithmetic},
		{"compression", id.Compression}, {"kernel streams", id.KernelStreams}, {"debug", id.Debug},
	} {
		if part.has {
			text = append(text, part.name)
		}
	}
	return fmt.Sprintf("0x%08X: %s, revision %06x", id.Word, strings.Join(text, ", "), id.Revision)
}

// HardwareID reads the hardware id word of the engine.
func (e *Engine) HardwareID(ctx context.Context) (HardwareID, error) {
	word, err := e.read(ctx, e.w.hardwareID.value)
	if err != nil {
		return HardwareID{}, fmt.Errorf("read the hardware id: %w", err)
	}
	return e.p.DecodeHardwareID(word), nil
}

// CheckHardware reads the hardware id word and compares it as CheckHardwareID does.
func (e *Engine) CheckHardware(ctx context.Context) error {
	id, err := e.HardwareID(ctx)
	if err != nil {
		return err
	}
	return e.p.CheckHardwareID(id)
}

// CheckHardwareID compares a hardware id with that of the platform. The error is ErrHardware
// and lists the differences.
func (p *Platform) CheckHardwareID(id HardwareID) error {
	want := &p.HardwareID
	if (id.Word^want.Value)&want.Mask == 0 {
		return nil
	}
	if id.Word == 0 {
		return fmt.Errorf("%w: where %s has its hardware id is a 0: no engine with the interface %s", ErrHardware,
			p.Name, p.Generation)
	}
	var differences []string
	for _, f := range want.Fields {
		if f.of((id.Word^want.Value)&want.Mask) == 0 {
			continue
		}
		has, wants := fmt.Sprint(f.of(id.Word)), fmt.Sprint(f.of(want.Value))
		if f.Name == "stack" {
			has, wants = nameOf(p.Stacks, f.of(id.Word)), nameOf(p.Stacks, f.of(want.Value))
		}
		differences = append(differences, fmt.Sprintf("%s is %s, not %s", f.Name, has, wants))
	}
	return fmt.Errorf("%w: hardware id 0x%08X where %s has 0x%08X: %s", ErrHardware, id.Word, p.Name, want.Value,
		strings.Join(differences, "; "))
}
