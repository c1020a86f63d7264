package ranks

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"

	"github.com/cclforge/cclforge/driver/timeline"
	"github.com/cclforge/cclforge/gen/design"
	"github.com/cclforge/cclforge/gen/emit"
	"github.com/cclforge/cclforge/gen/output"
)

// Files are those in which people open a timeline: where they are written to, and what is written beside it.
type Files struct {
	Dir    string
	Suffix string // of names, of one of several processes
	// Packets are a file of pcapng, whose fields those of Design are; nil for none.
	Packets []byte
	Design  *design.Design
	// Calls adds summary.txt: where the time went, and which calls cost most.
	Calls bool
}

// Write writes the files, each whole or not at all, and says so.
func (f *Files) Write(out io.Writer, t *timeline.Timeline) error {
	fmt.Fprintln(out, t.Title)
	for _, file := range []struct {
		name, ending, about string
		write               func(io.Writer) error
		is                  bool
	}{
		{"timeline", ".html", "sequence diagram, for a browser", t.Page, true},
		{"timeline", ".pftrace", "timeline, for ui.perfetto.dev", t.Perfetto, true},
		{"timeline", ".jsonl", "all of it, a JSON object a line", t.Lines, true},
		{"summary", ".txt", "where the time went, and which calls cost most", t.Summary, f.Calls},
		{"packets", ".pcapng", "packets, for Wireshark", func(w io.Writer) error {
			_, err := w.Write(f.Packets)
			return err
		}, f.Packets != nil},
	} {
		if !file.is {
			continue
		}
		if err := f.file(out, file.name+f.Suffix+file.ending, file.about, file.write); err != nil {
			return err
		}
	}
	if f.Packets != nil {
		about := "names of their fields: wireshark -X lua_script:ccl.lua packets" + f.Suffix + ".pcapng"
		err := f.file(out, "ccl.lua", about, func(w io.Writer) error {
			lua, err := emit.Dissector(f.Design)
			if err == nil {
				_, err = w.Write(lua)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if text := t.Missing(); text != "" {
		fmt.Fprintln(out, text)
	}
	return nil
}

func (f *Files) file(out io.Writer, name, about string, write func(io.Writer) error) error {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return fmt.Errorf("make %s: %w", name, err)
	}
	name = filepath.Join(f.Dir, name)
	if err := output.WriteFile(name, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the trace: %w", err)
	}
	_, err := fmt.Fprintf(out, "  %s  %s\n", name, about)
	return err
}
