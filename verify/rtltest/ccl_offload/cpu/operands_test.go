package cpu

import (
	"math/rand/v2"
	"testing"
)

// What programs are written with is what they compute, also for results that are asked for.
func TestOperandsHaveTheResultsThatAreAskedFor(t *testing.T) {
	r := rand.New(rand.NewPCG(0, 23))
	for _, k := range kinds {
		e := k.encoding()
		rs1, _ := k.reads()
		if !rs1 || !k.writes() || k.load() || k.name == "jalr" {
			continue
		}
		for range 2000 {
			want := r.Uint32() >> (4 + r.IntN(28))
			a, b, got := operands(r, k.name, want)
			if e.Format != 'R' && e.Format != 'H' && int32(b) != int32(b)<<20>>20 || e.Format == 'H' && b > 31 {
				t.Fatalf("%s with immediate 0x%x", k.name, b)
			}
			if made := resultOf(k.name, a, b); made != got {
				t.Fatalf("%s of 0x%x and 0x%x is 0x%x, not 0x%x", k.name, a, b, made, got)
			}
			switch k.name {
			case "slt", "slti", "sltu", "sltiu":
			case "rem", "remu", "mulh", "mulhsu", "mulhu", "div", "divu":
				if want < 1<<20 && got != want {
					t.Fatalf("%s of 0x%x and 0x%x is 0x%x, asked for is 0x%x", k.name, a, b, got, want)
				}
			default:
				if got != want {
					t.Fatalf("%s of 0x%x and 0x%x is 0x%x, asked for is 0x%x", k.name, a, b, got, want)
				}
			}
		}
	}
}
