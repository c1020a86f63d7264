package kernels

import (
	"context"
	"fmt"
)

// Registers are those of the stack.
func (c *UDP) Registers() Layer { return Layer{c} }

// Layer is the address range of the stack.
type Layer struct{ c *UDP }

// field is a word of the socket table.
func (l Layer) field(offset uint32) *uint32 {
	i, low := (offset-nlTheirIP)%0x80/8, offset%8 == 0
	switch {
	case offset < nlTheirIP || offset >= nlValid+8*sockets || !low:
		return nil
	case offset >= nlValid:
		return &l.c.table[i].valid
	case offset >= nlMyPort:
		return &l.c.table[i].mine
	case offset >= nlTheirPort:
		return &l.c.table[i].theirs
	}
	return &l.c.table[i].ip
}

// Read implements layout.Registers.
func (l Layer) Read(ctx context.Context, offset uint32) (uint32, error) {
	if err := usable(ctx, "UDP stack", offset); err != nil {
		return 0, err
	}
	c := l.c
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	switch {
	case offset == nlMAC:
		return uint32(c.mac.number()), nil
	case offset == nlMAC+4:
		return uint32(c.mac.number() >> 32), nil
	case offset == nlIP:
		return c.ip, nil
	case offset == nlGateway:
		return c.gateway, nil
	case offset == nlMask:
		return c.mask, nil
	case offset >= nlCounters && offset < nlCounters+8*nlCountersN:
		return uint32(c.live[(offset-nlCounters)/8] >> (offset % 8 * 8)), nil
	case offset == nlSockets:
		return c.size, nil
	case offset == nlDiscovery:
		return c.scan, nil
	case offset >= nlARPValid && offset < nlARPValid+addresses:
		if c.late > 0 && len(c.arriving) > 0 {
			if c.late--; c.late == 0 {
				c.arrive()
			}
		}
		var v uint32
		for i := range uint32(4) {
			if c.arps[offset-nlARPValid+i].valid {
				v |= 1 << (8 * i)
			}
		}
		return v, nil
	case offset >= nlARPIP && offset < nlARPIP+4*addresses:
		return reversed(c.arps[(offset-nlARPIP)/4].ip), nil
	case offset >= nlARPMAC && offset < nlARPMAC+8*addresses:
		m := c.arps[(offset-nlARPMAC)/8].mac // first octet lowest
		if offset%8 != 0 {
			return uint32(m[4]) | uint32(m[5])<<8, nil
		}
		return uint32(m[0]) | uint32(m[1])<<8 | uint32(m[2])<<16 | uint32(m[3])<<24, nil
	}
	if f := l.field(offset); f != nil {
		return *f, nil
	}
	return 0, nowhere("UDP stack", offset)
}

// Write implements layout.Registers.
func (l Layer) Write(ctx context.Context, offset, value uint32) error {
	if err := usable(ctx, "UDP stack", offset); err != nil {
		return err
	}
	after, n, err := l.write(offset, value)
	if after != nil {
		after(n)
	}
	return err
}

func (l Layer) write(offset, value uint32) (after func(int), n int, err error) {
	c := l.c
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if c.stuck[offset] {
		return nil, 0, nil
	}
	switch {
	case offset == nlMAC:
		c.mac = macOf(c.mac.number()&^0xFFFFFFFF | uint64(value))
	case offset == nlMAC+4:
		c.mac = macOf(c.mac.number()&0xFFFFFFFF | uint64(value)<<32)
	case offset == nlIP:
		c.ip = value
	case offset == nlGateway:
		c.gateway = value
	case offset == nlMask:
		c.mask = value
	case offset == nlClear:
		if value == 1 {
			c.live = [nlCountersN]uint64{}
		}
	case offset == nlDiscovery:
		rises := c.scan&1 == 0 && value&1 == 1
		c.scan = value & 1
		if rises {
			c.discover()
			return c.afterScans, c.scans, nil
		}
	case offset >= nlARPValid && offset < nlARPValid+addresses:
		for i := range uint32(4) {
			c.arps[offset-nlARPValid+i].valid = value>>(8*i)&1 == 1
		}
	case l.field(offset) != nil:
		*l.field(offset) = value
	default:
		return nil, 0, fmt.Errorf("%w is written", nowhere("UDP stack", offset))
	}
	return nil, 0, nil
}
