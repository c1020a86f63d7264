package accl

import (
	"fmt"
	"slices"
	"strings"
)

// config is an arithmetic configuration in the exchange memory.
type config struct {
	ArithConfig
	at uint32
}

// combination describes the types of a call to the engine.
type combination struct {
	config *config
	flags  uint32
}

// combine finds the configuration for the types of a call, and the flags of the operands
// that are compressed. One type needs no conversion unless Compress is given; of two types,
// one is the compressed form of the other. The rules are those of the Python and C++
// drivers; in addition, compression to the type of the data itself does nothing.
func (e *Engine) combine(c *call, compress DType) (combination, error) {
	var types [4]DType
	n := 0
	for _, t := range [...]DType{c.op0.dtype, c.op1.dtype, c.res.dtype} {
		n = add(&types, n, t)
	}
	operands := n
	n = add(&types, n, compress)
	var found *config
	switch n {
	case 0:
		return combination{}, fmt.Errorf("%w: it has no operand", ErrOperand)
	case 1:
		found = e.config(types[0], types[0])
	case 2:
		if found = e.config(types[0], types[1]); found == nil {
			found = e.config(types[1], types[0])
		}
		// What is sent cannot be larger than what the only operand holds.
		if found != nil && operands == 1 && found.Compressed != compress {
			found = nil
		}
	}
	if found == nil {
		return combination{}, fmt.Errorf("%w: no arithmetic configuration is for %s", ErrType, join(types[:n]))
	}
	out := combination{config: found}
	if found.Uncompressed == found.Compressed {
		return out, nil
	}
	flags := &e.p.CompressionFlags
	for _, operand := range [...]struct {
		dtype DType
		flag  uint32
	}{{c.op0.dtype, flags.Op0}, {c.op1.dtype, flags.Op1}, {c.res.dtype, flags.Result}, {compress, flags.Ethernet}} {
		if operand.dtype == found.Compressed {
			out.flags |= operand.flag
		}
	}
	return out, nil
}

func add(types *[4]DType, n int, t DType) int {
	if t == "" {
		return n
	}
	for _, known := range types[:n] {
		if known == t {
			return n
		}
	}
	types[n] = t
	return n + 1
}

func join(types []DType) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = string(t)
	}
	return strings.Join(names, " and ")
}

// config finds the configuration of a pair of types.
func (e *Engine) config(uncompressed, compressed DType) *config {
	for i := range e.configs {
		if c := &e.configs[i]; c.Uncompressed == uncompressed && c.Compressed == compressed {
			return c
		}
	}
	return nil
}

// ConfigAddress is the offset of the arithmetic configuration of a pair of types in the
// exchange memory, in bytes. Kernels that call the engine pass it, together with
// CompressionFlags for the operands that are compressed. For calls with one type, pass it
// twice. The error is ErrType if there is no such configuration.
func (e *Engine) ConfigAddress(uncompressed, compressed DType) (uint32, error) {
	e.setup.Lock()
	defer e.setup.Unlock()
	if err := e.usable(); err != nil {
		return 0, err
	}
	for _, t := range []DType{uncompressed, compressed} {
		if _, known := e.p.TypeBytes(t); !known {
			return 0, fmt.Errorf("%w: %s does not know %q", ErrType, e.p.Name, t)
		}
	}
	if c := e.config(uncompressed, compressed); c != nil {
		return c.at, nil
	}
	if uncompressed != compressed && e.config(compressed, uncompressed) != nil {
		return 0, fmt.Errorf("%w: of %s and %s, the latter is the uncompressed one", ErrType, uncompressed, compressed)
	}
	return 0, fmt.Errorf("%w: no arithmetic configuration is for %s", ErrType,
		join(slices.Compact([]DType{uncompressed, compressed})))
}

// bytes is the size of n uncompressed elements as an operand of a type.
func (c *config) bytes(t DType, n uint64) uint64 {
	if t == c.Compressed && c.Uncompressed != c.Compressed {
		return n >> c.RatioLog * uint64(c.CompressedBytes)
	}
	return n * uint64(c.UncompressedBytes)
}

// withMoves adds a configuration without functions for each element type that
// can only be moved, so that the engine knows its size.
func (p *Platform) withMoves(configs []ArithConfig) []ArithConfig {
	out := configs[:len(configs):len(configs)]
	for _, t := range p.Types {
		known := false
		for _, c := range configs {
			known = known || c.Uncompressed == t.Name && c.Compressed == t.Name
		}
		if !known {
			out = append(out, ArithConfig{Uncompressed: t.Name, Compressed: t.Name, UncompressedBytes: t.Bytes,
				CompressedBytes: t.Bytes})
		}
	}
	return out
}
