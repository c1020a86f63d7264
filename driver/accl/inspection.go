package accl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoInspection says that an engine has no words that say how its control processor is.
var ErrNoInspection = errors.New("the engine does not say how it is")

// InspectionWords describes the words of the exchange memory by which the hardware says how it is.
type InspectionWords struct {
	Words   []string // in order
	Magic   uint32   // value of the first one
	Version uint32   // of what is described here
	Restart uint32   // written to the word control
	State   []Field
	Causes  []Code

	// Words behind the word detail, for Activity.
	Stalls, Queues, Remotes, Counters DetailWords

	Stalled                uint32 // number of the first total of Stalls
	QueueLevel, RemoteWait []Field
	Trace                  TraceWords
}

// Inspection is what the hardware of an engine says of itself and of its control processor,
// which may have halted.
type Inspection struct {
	Version      uint32 `json:"version"`
	DesignHash   uint32 `json:"design_hash"`   // of what the design says of its engines
	FirmwareHash uint32 `json:"firmware_hash"` // first 32 bits of the control firmware's SHA-256; 0 if it has not begun

	Halted     bool   `json:"halted"`
	Asleep     bool   `json:"asleep"`     // the processor waits for an event or a call
	Started    bool   `json:"started"`    // it has done so, or got one, since its last reset
	Restarting bool   `json:"restarting"` // it is held in reset
	Counts     bool   `json:"counts"`     // the engine has an Activity
	Cause      string `json:"cause"`      // why it has halted; "" if it has not
	// PC is the address of the instruction that has trapped or, if none has, of one that was
	// executed just now.
	PC          uint32 `json:"pc"`
	Instruction uint32 `json:"instruction"` // at PC, if the processor has halted
	Address     uint32 `json:"address"`     // that the instruction was about, if it has trapped
	Heartbeat   uint32 `json:"heartbeat"`   // events and calls that the processor was given
	Cycles      uint32 `json:"cycles"`      // of the clock, lower half
	Restarts    uint32 `json:"restarts"`    // by RestartProcessor

	Refused uint32 `json:"refused"` // transmissions that the network stack has refused
	// GivenUp counts sessions to which nothing is sent any more, since the stack has refused a
	// packet for longer than the limit of waits for remote ranks; GivenUpSession is the last one.
	GivenUp        uint32 `json:"given_up"`
	GivenUpSession uint32 `json:"given_up_session"`
}

// inspectionAt is the offset of a word of the inspection.
func (p *Platform) inspectionAt(name string) (uint32, error) {
	w, i := p.Exchange.Word("inspection"), slices.Index(p.Inspection.Words, name)
	if w != nil && i >= 0 {
		return w.At + 4*uint32(i), nil
	}
	return 0, fmt.Errorf("%w: %s of %s has no word %s", ErrNoInspection, p.Generation, p.Name, name)
}

// Inspect reads how an engine is, by the ReadReg of its Device, which need not be open as an
// Engine. Nothing that the engine does is disturbed. The error matches ErrNoInspection for
// engines of others.
func (p *Platform) Inspect(ctx context.Context, read func(ctx context.Context, off uint32) (uint32, error)) (
	Inspection, error) {
	var in Inspection
	words := map[string]uint32{}
	for _, name := range p.Inspection.Words {
		at, err := p.inspectionAt(name)
		if err != nil {
			return in, err
		}
		if words[name], err = read(ctx, at); err != nil {
			return in, fmt.Errorf("inspect the engine: %w", err)
		}
	}
	if len(words) == 0 || words["magic"] != p.Inspection.Magic {
		return in, fmt.Errorf("%w: 0x%08X is not 0x%08X", ErrNoInspection, words["magic"], p.Inspection.Magic)
	}
	in = Inspection{
		Version: words["version"], DesignHash: words["design_hash"], FirmwareHash: words["firmware_hash"],
		PC: words["pc"], Instruction: words["instruction"], Address: words["address"],
		Heartbeat: words["heartbeat"], Cycles: words["cycles"], Restarts: words["restarts"],
		Refused: words["refused"], GivenUp: words["given_up"], GivenUpSession: words["given_up_session"],
	}
	flags := map[string]*bool{
		"halted": &in.Halted, "asleep": &in.Asleep, "started": &in.Started, "restarting": &in.Restarting,
		"counts": &in.Counts,
	}
	for _, f := range p.Inspection.State {
		v := f.of(words["state"])
		if flag := flags[f.Name]; flag != nil {
			*flag = v != 0
		} else if f.Name == "cause" && in.Halted {
			in.Cause = nameOf(p.Inspection.Causes, v)
		}
	}
	return in, nil
}

// RestartProcessor resets the control processor of an engine alone, also if it has halted.
// Calls that it had taken are answered with NOT_READY, and the engine must be configured
// again: Open or Reset does that.
func (p *Platform) RestartProcessor(ctx context.Context, dev Device) error {
	if _, err := p.Inspect(ctx, dev.ReadReg); err != nil {
		return err
	}
	at, err := p.inspectionAt("control")
	if err != nil {
		return err
	}
	if err := dev.WriteReg(ctx, at, p.Inspection.Restart); err != nil {
		return fmt.Errorf("restart the control processor: %w", err)
	}
	return nil
}

// Processor describes the control processor in a line. Before is an earlier inspection of the
// engine, by which a processor is known that executes instructions and takes no events.
func (in Inspection) Processor(before Inspection) string {
	switch {
	case in.Halted:
		text := fmt.Sprintf("halted: %s at pc 0x%08X, instruction 0x%08X", strings.ReplaceAll(in.Cause, "_", " "), in.PC,
			in.Instruction)
		if in.Address != 0 {
			text += fmt.Sprintf(", address 0x%08X", in.Address)
		}
		return text
	case in.Cycles == before.Cycles:
		return "no clock: the cycle counter stands"
	case in.Restarting:
		return "in reset"
	case !in.Started:
		return fmt.Sprintf("has not started, at pc 0x%08X", in.PC)
	case in.Asleep:
		return fmt.Sprintf("asleep, %d events so far", in.Heartbeat)
	case in.Heartbeat == before.Heartbeat:
		return fmt.Sprintf("busy without taking events, at pc 0x%08X", in.PC)
	}
	return fmt.Sprintf("busy, %d events so far", in.Heartbeat)
}
