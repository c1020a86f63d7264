package lang_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestHex(t *testing.T) {
	for text, want := range map[string]cty.Value{
		`hex("1FFC")`:             number(0x1FFC),
		`hex("0x1ffc")`:           number(0x1FFC),
		`hex("0")`:                number(0),
		`hex("0000_1000")`:        number(0x1000),
		`hex("FFFFFFFFFFFFFFFF")`: cty.NumberUIntVal(^uint64(0)),
		`hex(10) + 1`:             number(17),
	} {
		equal(t, open(t, "locals {\n  a = "+text+"\n}\n", "", nil).local(t, "a"), want)
	}
	for _, digits := range []string{"", "0x", "1G", "-1", "+1", "1.5", " 1", "__", "0x0x1"} {
		got := open(t, "locals {\n  a = hex(\""+digits+"\")\n}\n", "", nil)
		got.expect(t, `Invalid function argument: Invalid value for "digits" parameter: "`+digits+
			`" is not a hexadecimal number; write for example hex("1FFC").`)
	}
}

func TestFunctionArguments(t *testing.T) {
	for text, want := range map[string]string{
		`format("%1000d", 1)`:        `Invalid function argument: Invalid value for "format" parameter: a field may be at most 999 characters wide.`,
		`format("%999999999d", 1)`:   `Invalid function argument: Invalid value for "format" parameter: a field may be at most 999 characters wide.`,
		`format("%.999999999f", 1)`:  `Invalid function argument: Invalid value for "format" parameter: a field may be at most 999 characters wide.`,
		`format("%*d", 99999999, 1)`: `Invalid function argument: Invalid value for "format" parameter: a field may be at most 999 characters wide.`,
		`formatlist("%1000d", [1])`:  `Invalid function argument: Invalid value for "format" parameter: a field may be at most 999 characters wide.`,
		`pow(2, 10000000)`:           `Invalid function argument: Invalid value for "power" parameter: must be at most 1000000.`,
		`nosuch()`:                   `Call to unknown function: There is no function named "nosuch".`,
		`uper("a")`:                  `Call to unknown function: There is no function named "uper". Did you mean "upper"?`,
		`abs()`:                      `Not enough function arguments: Function "abs" expects 1 argument(s). Missing value for "num".`,
		`upper([])`:                  `Invalid function argument: Invalid value for "str" parameter: string required, but have tuple.`,
	} {
		open(t, "locals {\n  a = "+text+"\n}\n", "", nil).expect(t, want)
	}
}

// Functions that people know from other tools, each once.
func TestFunctions(t *testing.T) {
	list := func(v ...cty.Value) cty.Value { return cty.ListVal(v) }
	text := cty.StringVal
	for expr, want := range map[string]cty.Value{
		`abs(-1)`: number(1), `ceil(1.2)`: number(2), `floor(1.8)`: number(1), `int(1.8)`: number(1),
		`signum(-5)`:   number(-1),
		`max(1, 3, 2)`: number(3), `min([3, 1]...)`: number(1), `pow(2, 10)`: number(1024), `log(8, 2)`: number(3),
		`parseint("1F", 16)`: number(31),
		`tonumber("3")`:      number(3), `length([1, 2])`: number(2), `strlen("ab")`: number(2),
		`upper("a")`: text("A"), `lower("A")`: text("a"), `title("ab cd")`: text("Ab Cd"), `trim("xax", "x")`: text("a"),
		`trimprefix("u55c", "u")`: text("55c"), `trimsuffix("a.v", ".v")`: text("a"), `trimspace(" a ")`: text("a"),
		`replace("a-b", "-", "_")`: text("a_b"), `substr("hello", 1, 2)`: text("el"), `strrev("ab")`: text("ba"),
		`join("-", ["a", "b"])`:     text("a-b"),
		`format("%02d:%s", 5, "x")`: text("05:x"), `tostring(5)`: text("5"), `regexreplace("a1", "[0-9]", "x")`: text("ax"),
		`regex("[0-9]+", "a12")`: text("12"),
		`split(",", "a,b")`:      list(text("a"), text("b")), `sort(["b", "a"])`: list(text("a"), text("b")),
		`range(2)`:            list(number(0), number(1)),
		`distinct([1, 1, 2])`: list(number(1), number(2)), `formatlist("x%d", [1, 2])`: list(text("x1"), text("x2")),
		`compact(["a", ""])`:   list(text("a")),
		`contains(["a"], "a")`: cty.True, `tobool("true")`: cty.True, `coalesce(null, 2)`: number(2),
		`element([1, 2], 3)`:        number(2),
		`lookup({ a = 1 }, "a", 0)`: number(1), `merge({ a = 1 }, { b = 2 }).b`: number(2), `zipmap(["a"], [1]).a`: number(1),
		`keys({ b = 1, a = 1 })[0]`: text("a"), `values({ b = 1, a = 2 })[0]`: number(2), `flatten([[1], [2]])[1]`: number(2),
		`concat([1], [2])[1]`: number(2), `slice([1, 2, 3], 1, 2)[0]`: number(2), `reverse([1, 2])[0]`: number(2),
		`chunklist([1, 2, 3], 2)[1][0]`:         number(3),
		`length(setproduct(["a", "b"], ["c"]))`: number(2), `length(setunion(["a"], ["b"]))`: number(2),
		`length(setintersection(["a"], ["b"]))`:  number(0),
		`length(setsubtract(["a", "b"], ["b"]))`: number(1), `length(toset([1, 1]))`: number(1), `tolist([1])[0]`: number(1),
		`tomap({ a = 1 })["a"]`:    number(1),
		`coalescelist([], [1])[0]`: number(1), `length(regexall("a", "aba"))`: number(2),
	} {
		t.Run(expr, func(t *testing.T) {
			equal(t, open(t, "locals {\n  a = "+expr+"\n}\n", "", nil).local(t, "a"), want)
		})
	}
}
