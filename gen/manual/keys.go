package manual

import "github.com/cclforge/cclforge/gen/designjson"

// KeyTable documents design.json.
func KeyTable(keys []designjson.Key) Table {
	t := newTable("Key", "Type", "Meaning")
	for _, k := range keys {
		t.add(Code(k.Path), Text(k.Type), Text(k.Doc))
	}
	return t
}
