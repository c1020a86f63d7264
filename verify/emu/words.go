package emu

import (
	"fmt"

	"github.com/cclforge/cclforge/driver/accl"
	"github.com/cclforge/cclforge/gen/abi"
)

// callFields give the words of a call by name.
var callFields = map[string]func(*accl.Call) uint32{
	"scenario":          func(c *accl.Call) uint32 { return c.Scenario },
	"count":             func(c *accl.Call) uint32 { return c.Count },
	"comm":              func(c *accl.Call) uint32 { return c.Comm },
	"root_src_dst":      func(c *accl.Call) uint32 { return c.RootSrcDst },
	"function_code":     func(c *accl.Call) uint32 { return c.FunctionCode },
	"tag":               func(c *accl.Call) uint32 { return c.Tag },
	"arithcfg":          func(c *accl.Call) uint32 { return c.ArithCfg },
	"compression_flags": func(c *accl.Call) uint32 { return c.CompressionFlags },
	"stream_flags":      func(c *accl.Call) uint32 { return c.StreamFlags },
	"addr_0_low":        func(c *accl.Call) uint32 { return uint32(c.Addr0) },
	"addr_0_high":       func(c *accl.Call) uint32 { return uint32(c.Addr0 >> 32) },
	"addr_1_low":        func(c *accl.Call) uint32 { return uint32(c.Addr1) },
	"addr_1_high":       func(c *accl.Call) uint32 { return uint32(c.Addr1 >> 32) },
	"addr_2_low":        func(c *accl.Call) uint32 { return uint32(c.Addr2) },
	"addr_2_high":       func(c *accl.Call) uint32 { return uint32(c.Addr2 >> 32) },
}

// callWords are the words of a call in the order of the generation's record.
func callWords(g *abi.Generation, room int) ([]func(*accl.Call) uint32, error) {
	r := g.Record(abi.Call)
	if r == nil || len(r.Words) > room || len(r.Words) != len(callFields) {
		return nil, fmt.Errorf("%w: %s lacks a record %s of %d words that fits the call window", ErrMissing, g.Name,
			abi.Call, len(callFields))
	}
	words := make([]func(*accl.Call) uint32, len(r.Words))
	for i, w := range r.Words {
		if words[i] = callFields[w.Name]; words[i] == nil {
			return nil, fmt.Errorf("%w: the word %s of %s's %s means nothing here", ErrMissing, w.Name, g.Name, abi.Call)
		}
	}
	return words, nil
}

// CallRecord returns a function that gives the words of a call in the order of the
// interface version's record. The error is ErrMissing for a version whose record is not
// known.
func CallRecord(g *abi.Generation) (func(*accl.Call) []uint32, error) {
	fields, err := callWords(g, len(callFields))
	if err != nil {
		return nil, err
	}
	return func(c *accl.Call) []uint32 {
		words := make([]uint32, len(fields))
		for i, f := range fields {
			words[i] = f(c)
		}
		return words
	}, nil
}
