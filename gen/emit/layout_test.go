package emit

import (
	"testing"

	"github.com/cclforge/cclforge/gen/abi"
)

func TestFilled(t *testing.T) {
	field := func(name string, high, low int) abi.Field { return abi.Field{Name: name, High: high, Low: low} }
	for _, test := range []struct {
		name    string
		layout  abi.Layout
		want    []string
		natural bool // a C struct can have it
	}{
		{"no fields", abi.Layout{Width: 32}, []string{"_reserved_31_0"}, false},
		{"one bit", abi.Layout{Width: 1, Fields: []abi.Field{field("a", 0, 0)}}, []string{"a"}, false},
		{"gaps", abi.Layout{Width: 32, Fields: []abi.Field{field("a", 1, 1), field("b", 15, 8)}},
			[]string{"_reserved_0_0", "a", "_reserved_7_2", "b", "_reserved_31_16"}, false},
		{"bytes", abi.Layout{Width: 32, Fields: []abi.Field{field("a", 15, 8), field("b", 31, 16)}},
			[]string{"_reserved_7_0", "a", "b"}, true},
		{"not aligned", abi.Layout{Width: 32, Fields: []abi.Field{field("a", 23, 8)}},
			[]string{"_reserved_7_0", "a", "_reserved_31_24"}, false},
		{"no whole word", abi.Layout{Width: 16, Fields: []abi.Field{field("a", 15, 0)}}, []string{"a"}, false},
		{"long", abi.Layout{Width: 128, Fields: []abi.Field{field("a", 127, 64)}}, []string{"_reserved_63_0", "a"}, true},
		{"long in an odd number of words", abi.Layout{Width: 96, Fields: []abi.Field{field("a", 63, 0)}},
			[]string{"a", "_reserved_95_64"}, false},
		{"three bytes", abi.Layout{Width: 32, Fields: []abi.Field{field("a", 23, 0)}}, []string{"a", "_reserved_31_24"},
			false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range filled(&test.layout) {
				got = append(got, f.Name)
			}
			same(t, test.want, got)
			if natural(&test.layout) != test.natural {
				t.Errorf("natural = %t", !test.natural)
			}
		})
	}
}
