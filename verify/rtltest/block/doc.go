// Package block is the harness of the benches of single modules. It reads the
// ports of a module, with the fields of their structs, from the module itself,
// and drives them by name. The modules of a Set are built together, which takes
// about half a second each.
//
// A bench is a function that gets the module and a source of random numbers and
// returns what is wrong:
//
//	var set = block.NewSet(block.Module{Name: "message_table"}, …)
//
//	func TestMessageTable(t *testing.T) { set.Check(t, "message_table", messageTable) }
//
//	func messageTable(b *block.Bench, r *rand.Rand) error {
//		b.Set("start", 1)                  // an input; a field is "header.tag", an element "lane[2]"
//		b.Step()                           // a cycle
//		if b.Is("done") && b.Get("found_number") != 3 { // as it stood at the end of that cycle
//			return fmt.Errorf("…")
//		}
//		return b.Err()
//	}
//
// With -tb.defects=N, Check plants up to N defects in the module and in each of its
// Parts, one at a time, and says which of them the bench does not find;
// -tb.line=text plants only in lines with that text.
package block
