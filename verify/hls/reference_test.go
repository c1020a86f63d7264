package hls_test

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// form is the type of an integer: how many bits, signed or not.
type form struct {
	width  int
	signed bool
}

func (f form) String() string {
	if f.signed {
		return fmt.Sprintf("ap_int<%d>", f.width)
	}
	return fmt.Sprintf("ap_uint<%d>", f.width)
}

// hold is what is left of a value in a form.
func (f form) hold(x *big.Int) *big.Int {
	r := new(big.Int).And(x, ones(f.width))
	if f.signed && r.Bit(f.width-1) == 1 {
		r.Sub(r, new(big.Int).Lsh(big.NewInt(1), uint(f.width)))
	}
	return r
}

func ones(n int) *big.Int {
	r := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return r.Sub(r, big.NewInt(1))
}

// value is one that a program has shown.
type value struct {
	form
	*big.Int
}

func (v value) String() string { return fmt.Sprintf("%v %v", v.form, v.Int) }

// parseValue reads "9u 01ff": the bits beyond the width must repeat the sign, or be
// zero, for the value to be right in memory.
func parseValue(shape, bytes string) (value, error) {
	width, err := strconv.Atoi(strings.TrimRight(shape, "su"))
	if err != nil {
		return value{}, fmt.Errorf("the form %q: %w", shape, err)
	}
	f := form{width, strings.HasSuffix(shape, "s")}
	raw, ok := new(big.Int).SetString(bytes, 16)
	if !ok {
		return value{}, fmt.Errorf("the bytes %q are no number", bytes)
	}
	v := value{f, f.hold(raw)}
	if memory := new(big.Int).And(v.Int, ones(len(bytes)*4)); memory.Cmp(raw) != 0 {
		return value{}, fmt.Errorf("%v lies in memory as %s, expected %x", v, bytes, memory)
	}
	return v, nil
}

// parseLine gives the operation and the values of a line.
func parseLine(line string) (operation string, values []value, rest string, err error) {
	words := strings.Fields(line)
	operation = words[0]
	i := 1
	for ; i+1 < len(words); i += 2 {
		v, err := parseValue(words[i], words[i+1])
		if err != nil {
			return operation, nil, "", err
		}
		values = append(values, v)
	}
	if i < len(words) {
		rest = words[i]
	}
	return operation, values, rest, nil
}

// common is the width that both operands fit in: beside a signed one an unsigned one
// needs a bit more.
func common(a, b form) int {
	wa, wb := a.width, b.width
	if b.signed && !a.signed {
		wa++
	}
	if a.signed && !b.signed {
		wb++
	}
	return max(wa, wb)
}

// binary are the documented results of operators that give new values.
func binaryOp(operation string, a, b value) (form, *big.Int) {
	signed := a.signed || b.signed
	x := new(big.Int)
	switch operation {
	case "+":
		return form{common(a.form, b.form) + 1, signed}, x.Add(a.Int, b.Int)
	case "-":
		return form{common(a.form, b.form) + 1, true}, x.Sub(a.Int, b.Int)
	case "*":
		return form{a.width + b.width, signed}, x.Mul(a.Int, b.Int)
	case "/":
		f := form{a.width, signed}
		if b.signed {
			f.width++
		}
		return f, x.Quo(a.Int, b.Int)
	case "%":
		f := form{min(a.width, b.width), a.signed}
		if a.signed && !b.signed {
			f.width = min(a.width, b.width+1)
		}
		return f, x.Rem(a.Int, b.Int)
	case "&":
		return form{common(a.form, b.form), signed}, x.And(a.Int, b.Int)
	case "|":
		return form{common(a.form, b.form), signed}, x.Or(a.Int, b.Int)
	case "^":
		return form{common(a.form, b.form), signed}, x.Xor(a.Int, b.Int)
	case "<<":
		return a.form, shift(a.Int, b.Int, a.width)
	case ">>":
		return a.form, shift(a.Int, new(big.Int).Neg(b.Int), a.width)
	case "=":
		return a.form, b.Int
	}
	return form{1, false}, truth(compare(operation, a, b))
}

func truth(yes bool) *big.Int {
	if yes {
		return big.NewInt(1)
	}
	return new(big.Int)
}

// shift moves to the left, or, if n is negative, to the right.
func shift(x, n *big.Int, width int) *big.Int {
	limit := big.NewInt(int64(width))
	if n.CmpAbs(limit) > 0 {
		n = new(big.Int).Mul(limit, big.NewInt(int64(n.Sign())))
	}
	if n.Sign() < 0 {
		return new(big.Int).Rsh(x, uint(-n.Int64()))
	}
	return new(big.Int).Lsh(x, uint(n.Int64()))
}

// compare goes by C's rule where a signed and an unsigned operand meet.
func compare(operation string, a, b value) bool {
	width := max(a.width, b.width, 32)
	equal := new(big.Int).And(a.Int, ones(width)).Cmp(new(big.Int).And(b.Int, ones(width))) == 0
	order := a.Cmp(b.Int)
	if a.signed != b.signed && (a.width >= 32 || b.width >= 32) {
		signed, unsigned := a, b
		if b.signed {
			signed, unsigned = b, a
		}
		if unsigned.width >= signed.width && signed.Sign() < 0 {
			order = -order
		}
	}
	switch operation {
	case "==":
		return equal
	case "!=":
		return !equal
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	panic("no such operator: " + operation)
}
