package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/magefile/mage/mg"

	"github.com/cclforge/cclforge/gen/workspace"
)

// GoFlags is GOFLAGS with how programs are compiled here, if it does not say itself how: in one way for programs, tests
// and the C library, whose packages are compiled once then, and without what debuggers need, which takes a tenth.
func GoFlags() string {
	flags := os.Getenv("GOFLAGS")
	if strings.Contains(flags, "-buildmode") || strings.Contains(flags, "-gcflags") {
		return flags
	}
	return strings.TrimSpace(flags + " -buildmode=pie -gcflags=all=-dwarf=false -ldflags=-w")
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
	return err
}

// terminal reports whether a person reads what is written, in colour.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
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

// listPlatforms prints the table of platforms.
func listPlatforms(ctx context.Context, asJSON bool) error {
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

func validate(ctx context.Context, o workspace.Options, asJSON bool) error {
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
		return err
	}
	add(problems)
	if err := printJSON(result); err != nil {
		return err
	}
	return mg.Fatal(1, problems.Count())
}

// start starts a platform file.
func start(name, board string) error {
	return with(func(w *workspace.Workspace) error {
		file, err := w.Start(name, board)
		if err == nil {
			fmt.Printf("wrote %s; next: cclforge generate %s\n", file, name)
		}
		return err
	})
}

// format formats HCL files, or only checks them.
func format(check bool) error {
	changed, err := workspace.Format(".", !check)
	for _, file := range changed {
		fmt.Println(file)
	}
	if err == nil && check && len(changed) > 0 {
		return mg.Fatalf(1, "%s in canonical form; run: cclforge fmt", count(len(changed), "file", "is not", "are not"))
	}
	return err
}

// look prints the table of optional tools.
func look(ctx context.Context, asJSON bool) error {
	found, err := findTools(ctx, say)
	switch {
	case err != nil:
		return err
	case !asJSON:
		return printTools(os.Stdout, found)
	}
	return printJSON(struct {
		Tools []foundTool `json:"tools"`
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
