package xrt

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/cclforge/cclforge/driver/internal/engine"
	"github.com/cclforge/cclforge/driver/layout"
	"github.com/cclforge/cclforge/driver/xrt/xclbin"
)

// Options choose the card and its file.
type Options struct {
	// Card is the index of the card, such as "0", or its PCI address, such as
	// "0000:65:00.1"; "" is the first card.
	Card string
	// Xclbin is the path of the file with the design.
	Xclbin string
	// Keep never loads the card. The error is ErrLoaded if the card does not hold the file.
	Keep bool
	// AnyDesign accepts a file with another hash of the design, or none, if all its kernels
	// and memories are those of the design.
	AnyDesign bool
	// Library is the directory of XRT's libraries; "" for $XILINX_XRT/lib, or the system's
	// search path.
	Library string
}

// Card is an open card with its design. Its methods may be called concurrently.
type Card struct {
	name   string // in errors
	l      *library
	design *layout.Design
	layout *xclbin.Layout
	uuid   [uuidBytes]byte
	fresh  bool
	device uintptr
	shim   uintptr

	life context.Context // ends with Close
	end  context.CancelCauseFunc

	users   engine.Life // calls of the library that are running
	engines engine.Set

	mu      sync.Mutex
	kernels map[string]*registers
	buffers map[*memory]bool
}

// Open opens a card, and loads it if necessary. The context is checked between calls of
// XRT only. The error matches those of this package.
func Open(ctx context.Context, d *layout.Design, o Options) (*Card, error) {
	file, err := readFile(d, o)
	if err != nil {
		return nil, err
	}
	l, err := loadLibrary(o.Library)
	if err != nil {
		return nil, err
	}
	c := &Card{
		name: "card " + o.Card, l: l, design: d, layout: file.layout, uuid: file.uuid,
		kernels: map[string]*registers{}, buffers: map[*memory]bool{},
	}
	if o.Card == "" {
		c.name = "the first card"
	}
	if err := c.find(o.Card); err != nil {
		return nil, err
	}
	if err := c.hold(ctx, file, o.Keep); err != nil {
		return nil, errors.Join(err, c.say("close", status("xrtDeviceClose", l.close(c.device))))
	}
	c.life, c.end = context.WithCancelCause(context.Background())
	return c, nil
}

// image is the content of an .xclbin.
type image struct {
	path    string
	content []byte
	uuid    [uuidBytes]byte
	layout  *xclbin.Layout
}

func readFile(d *layout.Design, o Options) (*image, error) {
	if o.Xclbin == "" {
		return nil, fmt.Errorf("%w: say which, of %s", ErrFile, d.Platform)
	}
	content, err := os.ReadFile(o.Xclbin)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	bad := func(err error) error { return fmt.Errorf("%w: %s: %w", ErrFile, o.Xclbin, err) }
	f, err := xclbin.Read(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, bad(err)
	}
	layout, err := f.Layout()
	if err != nil {
		return nil, bad(err)
	}
	said, described, err := f.Describe()
	if err != nil {
		return nil, bad(err)
	}
	out := &image{path: o.Xclbin, content: content, layout: layout}
	raw, err := hex.DecodeString(strings.ReplaceAll(f.UUID, "-", ""))
	if err != nil || len(raw) != uuidBytes {
		return nil, bad(fmt.Errorf("its UUID is %q", f.UUID))
	}
	copy(out.uuid[:], raw)
	differences := compare(d, layout)
	if !o.AnyDesign {
		differences = append(describe(d, said, described), differences...)
	}
	if len(differences) > 0 {
		return nil, &DesignError{o.Xclbin, d.Platform, differences}
	}
	return out, nil
}

// find opens the device of a card by its index or its PCI address.
func (c *Card) find(selection string) error {
	seen := c.l.probe()
	index, err := strconv.ParseUint("0"+selection, 10, 31) // "" is 0
	function := "xrtDeviceOpen"
	switch {
	case err == nil && uint32(index) >= seen:
		return fmt.Errorf("%w: %s: XRT sees %d", ErrNoCard, c.name, seen)
	case err == nil:
		c.device = c.l.open(uint32(index))
	default:
		function = "xrtDeviceOpenByBDF"
		c.device = c.l.openBDF(selection)
	}
	if c.device == 0 { // XRT does not leave in errno why
		return fmt.Errorf("%w: open %s, of %d that XRT sees: %w", ErrNoCard, c.name, seen, &CallError{Function: function})
	}
	if c.shim = c.l.shim(c.device); c.shim == 0 {
		err := &CallError{Function: "xrtDeviceToXclDevice"}
		return errors.Join(c.say("open", err), c.say("close", status("xrtDeviceClose", c.l.close(c.device))))
	}
	return nil
}

// hold loads the file, unless the card holds it.
func (c *Card) hold(ctx context.Context, file *image, keep bool) error {
	if ctx.Err() != nil {
		return c.say("open", context.Cause(ctx))
	}
	var holds [uuidBytes]byte
	if err := status("xrtDeviceGetXclbinUUID", c.l.loaded(c.device, &holds)); err == nil && holds == file.uuid {
		err := c.l.code("xrtDeviceLoadXclbinUUID", func() int32 { return c.l.attach(c.device, &file.uuid) })
		if errors.Is(err, syscall.ENOTSUP) {
			// An XRT that cannot attach leaves a card alone that is given the file that it holds.
			err = c.l.code("xrtDeviceLoadXclbin", func() int32 { return c.l.load(c.device, &file.content[0]) })
		}
		return c.say("attach to", err)
	}
	if keep {
		return fmt.Errorf("%w: %s has %x, and %s is %x", ErrLoaded, c.name, holds, file.path, file.uuid)
	}
	if err := c.l.code("xrtDeviceLoadXclbin", func() int32 { return c.l.load(c.device, &file.content[0]) }); err != nil {
		return c.busy(fmt.Errorf("load %s into %s: %w", file.path, c.name, err))
	}
	c.fresh = true
	return nil
}

// say adds the operation and the card's name to an error.
func (c *Card) say(doing string, err error) error {
	if err == nil {
		return nil
	}
	return c.busy(fmt.Errorf("%s %s: %w", doing, c.name, err))
}

// busy makes errors of resources that others use match ErrBusy.
func (c *Card) busy(err error) error {
	if errors.Is(err, syscall.EBUSY) {
		return fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return err
}

// use lets a call of the library begin, unless the card is closed. Close waits for it.
func (c *Card) use() (done func(), err error) { return c.users.Use(c.name) }

// Fresh reports whether Open has loaded the card, so that nothing on it was used before.
// It is false if the card held the file already.
func (c *Card) Fresh() bool { return c.fresh }

// Design is the design that the card holds.
func (c *Card) Design() *layout.Design { return c.design }

// Close releases kernels and memory, whose Bytes must not be used any more. Waits for
// calls end with ErrClosed, but the engines continue. The card keeps its design.
func (c *Card) Close() error {
	if !c.users.Close(c.name, c.end, &c.engines) {
		return nil
	}
	var errs []error
	for m := range c.buffers {
		errs = append(errs, c.say("free memory of", m.give()))
	}
	for _, r := range c.kernels {
		errs = append(errs,
			c.say("give back "+r.name+" of", status("xclCloseContext", c.l.release(c.shim, &c.uuid, r.index))))
	}
	return errors.Join(append(errs, c.say("close", status("xrtDeviceClose", c.l.close(c.device))))...)
}

var _ io.Closer = (*Card)(nil)
