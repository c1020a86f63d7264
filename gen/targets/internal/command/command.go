// Package command does what the targets say: it opens the workspace of the
// current directory, runs one of its operations and tells people the result.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/heap"
	"github.com/cclforge/cclforge/gen/targets/internal/doctor"
	"github.com/cclforge/cclforge/gen/workspace"
)

func init() { heap.Spare() }

// Options are the options of a target; those not given are nil.
func Options(only, vars, out, godir *string) workspace.Options {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	return workspace.Options{
		Selection: workspace.Selection{Only: text(only), Vars: text(vars)},
		Out:       text(out), GoDir: text(godir),
	}
}

// say tells people something that is no result.
func say(format string, args ...any) {
	fmt.Fprintln(os.Stderr, strings.TrimRight(fmt.Sprintf(format, args...), "\n"))
}

// with opens the workspace of the current directory for one operation.
func with(do func(w *workspace.Workspace) error) error {
	w, err := workspace.Open(".", say)
	if err == nil {
		err = do(w)
	}
	return explain(err)
}

// explain shows mistakes in descriptions where they stand, and leaves mage a
// short message to end with.
func explain(err error) error {
	if errors.Is(err, context.Canceled) {
		return mg.Fatal(130, "interrupted; run it again to finish")
	}
	var problems *workspace.Problems
	if !errors.As(err, &problems) {
		return err
	}
	if showErr := problems.Show(os.Stderr, terminal(os.Stderr)); showErr != nil {
		return errors.Join(err, showErr)
	}
	return mg.Fatalf(1, "%s; nothing was written", problems.Count())
}

// terminal reports whether a person reads the file in colour.
func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// printJSON prints what a target has to say as one object.
func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Platforms prints the table of platforms.
func Platforms(ctx context.Context, asJSON bool) error {
	return with(func(w *workspace.Workspace) error {
		if !asJSON {
			return w.Table(ctx, os.Stdout)
		}
		rows, err := w.Rows(ctx)
		if err != nil {
			return err
		}
		return printJSON(struct {
			Platforms []workspace.Row `json:"platforms"`
		}{rows})
	})
}

// Validate checks platforms.
func Validate(ctx context.Context, o workspace.Options, asJSON bool) error {
	if asJSON {
		return validateJSON(ctx, o)
	}
	return with(func(w *workspace.Workspace) error {
		designs, err := w.Validate(ctx, o.Selection)
		if err == nil {
			fmt.Printf("%s valid\n", count(len(designs), "platform", "is", "are"))
		}
		return err
	})
}

// validateJSON checks platforms for scripts.
func validateJSON(ctx context.Context, o workspace.Options) error {
	result := struct {
		Valid       bool                   `json:"valid"`
		Platforms   []string               `json:"platforms"` // that are valid
		Diagnostics []workspace.Diagnostic `json:"diagnostics"`
	}{Platforms: []string{}, Diagnostics: []workspace.Diagnostic{}}
	add := func(p *workspace.Problems) { result.Diagnostics = append(result.Diagnostics, p.List()...) }
	w, err := workspace.Open(".", say)
	if err != nil {
		return err
	}
	w.Warned = add
	designs, err := w.Validate(ctx, o.Selection)
	var problems *workspace.Problems
	switch {
	case err == nil:
		result.Valid = true
		for _, d := range designs {
			result.Platforms = append(result.Platforms, d.Platform.Name)
		}
		return printJSON(result)
	case !errors.As(err, &problems):
		return explain(err)
	}
	add(problems)
	if err := printJSON(result); err != nil {
		return err
	}
	return mg.Fatal(1, problems.Count())
}

// New starts a platform file.
func New(name, board string) error {
	return with(func(w *workspace.Workspace) error {
		file, err := w.Start(name, board)
		if err == nil {
			fmt.Printf("wrote %s; next: go tool mage generate -only=%s\n", file, name)
		}
		return err
	})
}

// Fmt formats HCL files, or only checks them.
func Fmt(check bool) error {
	changed, err := workspace.Format(".", !check)
	for _, file := range changed {
		fmt.Println(file)
	}
	if err == nil && check && len(changed) > 0 {
		return mg.Fatalf(1, "%s in canonical form; run: go tool mage fmt", count(len(changed), "file", "is not", "are not"))
	}
	return explain(err)
}

// Doctor prints the table of optional tools.
func Doctor(ctx context.Context, asJSON bool) error {
	found, err := doctor.Look(ctx, say)
	switch {
	case err != nil:
		return err
	case !asJSON:
		return doctor.Print(os.Stdout, found)
	}
	return printJSON(struct {
		Tools []doctor.Found `json:"tools"`
	}{found})
}

// count puts a number before a noun, with the verb that fits: "1 file is".
func count(n int, noun string, verbs ...string) string {
	text := fmt.Sprintf("%d %s", n, noun)
	if n != 1 {
		text += "s"
	}
	switch {
	case len(verbs) == 2 && n == 1:
		text += " " + verbs[0]
	case len(verbs) == 2:
		text += " " + verbs[1]
	}
	return text
}
