package faults_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/lang"
	"github.com/cclforge/cclforge/verify/fabric/faults"
)

// Each text has exactly these mistakes, as "line: summary: detail".
func TestMistakes(t *testing.T) {
	const known = "Known: bandwidth, corrupt, duplicate, jitter, kills, latency, links, loss, partitions, reorder, seed."
	const ofLink = "Known: bandwidth, corrupt, cut, duplicate, from, jitter, latency, loss, reorder, to."
	const probability = "a probability is a number from 0 to 1."
	const duration = `write a time with its unit, for example "2ms" or "1.5s".`
	const rate = `write a rate with its unit, for example "1GB/s" or "10Gbit/s"; 0 is no limit.`
	const link = `1: Not a link: A link is named by two ranks, "0-2" for both ways and "0>2" for one, where * is any rank; "3" is short for "3-*", and "*" for "*-*".`
	const noRanks = `1: Missing ranks: Say which link is meant: link "0-2" { ... }, or ranks = "0-2" in a list.`
	const kill = `1: Not a rank: A kill names one rank: kill "3" { ... }, or rank = 3 in a list.`
	const nothing = "1: Nothing changes: An exception says what is different, for example loss = 0.5 or cut = true."
	const groups = "1: Not groups of ranks: Groups are lists of ranks, for example [[0, 1], [2, 3]]."
	for text, want := range map[string][]string{
		`loss = 0.1`: {
			`1: Faults expected: Faults are given as one object, for example {loss = 0.01, latency = "2ms"}, or as the name of a file that ends in .hcl.`},
		`{loss = -0.1}`:             {"1: Invalid value: loss: " + probability},
		`{reorder = 1.001}`:         {"1: Invalid value: reorder: " + probability},
		`{corrupt = "0.5"}`:         {"1: Invalid value: corrupt: " + probability},
		`{duplicate = true}`:        {"1: Invalid value: duplicate: " + probability},
		`{latency = 5}`:             {"1: Invalid value: latency: " + duration},
		`{latency = "5"}`:           {"1: Invalid value: latency: " + duration},
		`{latency = "300y"}`:        {"1: Invalid value: latency: " + duration},
		`{jitter = "-1ns"}`:         {"1: Invalid value: jitter: it must not be negative."},
		`{bandwidth = 1000}`:        {"1: Invalid value: bandwidth: " + rate},
		`{bandwidth = "1"}`:         {"1: Invalid value: bandwidth: " + rate},
		`{bandwidth = "NaNB/s"}`:    {"1: Invalid value: bandwidth: " + rate},
		`{bandwidth = "1e300TB/s"}`: {"1: Invalid value: bandwidth: " + rate},
		`{bandwidth = "-1B/s"}`:     {"1: Invalid value: bandwidth: it must not be negative."},
		`{bandwidth = "1Gb/s"}`: {
			"1: Invalid value: bandwidth: the unit Gb/s is not known; there are TB/s, GB/s, MB/s, kB/s, B/s, " +
				"TiB/s, GiB/s, MiB/s, KiB/s, Tbit/s, Gbit/s, Mbit/s, kbit/s, bit/s."},
		`{seed = 1.5}`: {
			"1: Not a seed: A seed is a whole number of at most 64 bits."},
		`{seed = 9223372036854775808}`: {
			"1: Not a seed: A seed is a whole number of at most 64 bits."},
		`{seed = "x"}`: {
			"1: Not a seed: A seed is a whole number of at most 64 bits."},
		`{latencey = "1s"}`: {
			`1: Unknown attribute: There is no attribute "latencey" here. Did you mean "latency"? ` + known},
		`{link = {"0-1" = {loss = 1}}}`: {
			`1: Unknown attribute: There is no attribute "link" here. Did you mean "links"? ` + known},
		`{cut = true}`: {
			`1: Unknown attribute: There is no attribute "cut" here. ` + known},
		`{loss = nobody}`: {
			`1: Unknown variable: There is no variable named "nobody".`},
		`{loss = 1, loss = 0}`: {
			`1: Duplicate key: The key "loss" is already set on line 1; an object has each key once.`},
		`{links = {"0>" = {loss = 1}}}`:          {link},
		`{links = {"a-1" = {loss = 1}}}`:         {link},
		`{links = {"1-2-3" = {cut = true}}}`:     {link},
		`{links = {"-1" = {cut = true}}}`:        {link},
		`{links = [{ranks = 0.5, cut = true}]}`:  {link},
		`{links = {"0-9999999" = {cut = true}}}`: {link},
		`{links = [{loss = 1}]}`:                 {noRanks},
		`{links = [7]}`: {
			"1: Object expected: Write an object here, {name = value, ...}."},
		`{links = {"0-1" = 7}}`: {
			"1: Object expected: Write an object here, {name = value, ...}."},
		`{links = {"0-1" = {}}}`: {nothing},
		`{links = {"0-1" = {los = 1, cut = 1}}}`: {
			`1: Unknown attribute: There is no attribute "los" here. Did you mean "loss"? ` + ofLink,
			"1: Invalid value: cut: write true or false."},
		`{links = {"0-1" = {cut = true, to = "0s"}}}`: {
			`1: Ends before it begins: to = "0s" is not later than from = "0s".`},
		`{links = {"0-1" = {cut = true, from = 1}}}`: {"1: Invalid value: from: " + duration},
		`{links = [for r in range(1001) : {ranks = r, cut = true}]}`: {
			"1: Too many exceptions: A plan has at most 1000 links, partitions and kills."},
		`{partitions = {}}`: {"1: List expected: Write partitions = [{...}, ...]."},
		`{partitions = [{}]}`: {
			"1: Missing attribute: A partition has groups, for example groups = [[0, 1], [2, 3]]."},
		`{partitions = [{groups = []}]}`:             {groups},
		`{partitions = [{groups = [[]]}]}`:           {groups},
		`{partitions = [{groups = 5}]}`:              {groups},
		`{partitions = [{groups = [0, 1]}]}`:         {groups, groups},
		`{partitions = [{groups = [["a"], [1.5]]}]}`: {groups, groups},
		`{partitions = [{groups = [[0, 1], [1]]}]}`:  {"1: Rank in two groups: Rank 1 is in a group already."},
		`{partitions = [{groups = [[0]], loss = 1}]}`: {
			`1: Unknown attribute: There is no attribute "loss" here. Known: from, groups, to.`},
		`{kills = [{rank = "*", at = "1s"}]}`: {kill},
		`{kills = [{at = "1s"}]}`:             {kill},
		`{kills = {"1" = {}}}`:                {`1: Missing attribute: A kill says when, for example at = "20s".`},
		`{kills = {"1" = {at = "-1s"}}}`:      {"1: Invalid value: at: it must not be negative."},
		"{\n  loss = 2\n  jitter = 1\n  x = 1\n}": {"2: Invalid value: loss: " + probability, "3: Invalid value: jitter: " +
			duration, `4: Unknown attribute: There is no attribute "x" here. ` + known},
		file(t,
			"loss = 2\nlinks \"0-1\" {}\nkill \"1\" \"2\" { at = \"1s\" }\npartition \"a\" {\n  groups = [[1]]\n  more "+
				"{}\n}\nlink {\n  cut = true\n}\nseed {}\n"): {
			"1: Invalid value: loss: " + probability,
			`2: Unknown block: There is no block "links" here. Did you mean "link"? Known: kill, link, partition.`,
			"3: Too many labels: A block has at most one label here.",
			"4: No label expected: A partition has no label.",
			"6: Unknown block: There are no blocks here.",
			`8` + strings.TrimPrefix(noRanks, "1"),
			`11: Unknown block: There is no block "seed" here. Known: kill, link, partition.`,
		},
		`{x = ` + strings.Repeat("[", 200) + strings.Repeat("]", 200) +
			`}`: {"1: Nested too deeply: Blocks, brackets, operators and templates may be nested at most 100 deep."},
		`{loss = length([for a in range(1000) : [for b in range(1000) : a]])}`: {
			"1: Evaluation takes too long: The evaluation of this file does not end within its limit; " +
				"look for nested loops or values that grow without bound."},
		`{x = "` + strings.Repeat("x", lang.MaxFileBytes) +
			`"}`: {"1: Value too large: -faults has more than 262144 bytes, the most that a value may have."},
	} {
		p, err := faults.Parse(text)
		var m *faults.Mistakes
		if !errors.As(err, &m) || !errors.Is(err, lang.ErrInvalid) {
			t.Errorf("%.100s: %v, %v", text, p, err)
			continue
		}
		var got []string
		for _, d := range m.Diags {
			got = append(got, fmt.Sprintf("%d: %s: %s", d.Subject.Start.Line, d.Summary, d.Detail))
		}
		if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
			t.Errorf("%.100s:\n%s\nnot\n%s", text, a, b)
		}
	}
}

// Mistakes are shown where they are.
func TestMistakesShowTheirPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("bad.hcl", []byte("seed = 1\nlink \"0-2\" {\n  loss = 20\n  to   = \"1\"\n}\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	_, err := faults.Parse("bad.hcl")
	want := `Error: Invalid value

  on bad.hcl line 3:
   3:   loss = 20

loss: a probability is a number from 0 to 1.

Error: Invalid value

  on bad.hcl line 4:
   4:   to   = "1"

to: write a time with its unit, for example "2ms" or "1.5s".`
	assert.Check(t, err != nil && err.Error() == want, "printed\n%v\nnot\n%s", err, want)

	_, err = faults.Parse(`{loss = 20}`)
	want = `Error: Invalid value

  on -faults line 1:
   1: {loss = 20}

loss: a probability is a number from 0 to 1.`
	assert.Check(t, err != nil && err.Error() == want, "printed\n%v\nnot\n%s", err, want)
}

func TestFilesThatCannotBeRead(t *testing.T) {
	_, err := faults.Parse(filepath.Join(t.TempDir(), "none.hcl"))
	assert.Check(t, errors.Is(err, os.ErrNotExist) && strings.HasPrefix(err.Error(), "read faults: "),
		"no file: %v", err)
	_, err = faults.Parse(file(t, strings.Repeat("#", lang.MaxFileBytes+1)))
	assert.Check(t, errors.Is(err, lang.ErrInvalid) && strings.Contains(err.Error(), "File too large"),
		"a large file: %.200v", err)
}

// Ranks that a world does not have are found once its size is known, all of
// them.
func TestCheck(t *testing.T) {
	p := parse(t, `{
  links = {
    "0-3" = {loss = 1}
    "*>4" = {loss = 1}
    "7" = {loss = 1}
  }
  partitions = [{groups = [[0, 5],
    [1, 6, 2]]}]
  kills = [{rank = 4, at = "1s"}]
}`)
	assert.Check(t, p.Check(8), "in a world of 8")
	err := p.Check(4)
	var m *faults.Mistakes
	assert.Assert(t, errors.As(err, &m) && errors.Is(err, lang.ErrInvalid), "in a world of 4: %v", err)
	var got []string
	for _, d := range m.Diags {
		got = append(got, fmt.Sprintf("%d:%d %s", d.Subject.Start.Line, d.Subject.Start.Column, d.Detail))
	}
	var want []string
	for _, at := range []struct {
		place string
		rank  int
	}{{"4:5", 4}, {"5:5", 7}, {"7:32", 5}, {"8:9", 6}, {"9:20", 4}} {
		want = append(want, fmt.Sprintf("%s There is no rank %d in a world of 4; its ranks are 0 to 3.", at.place, at.rank))
	}
	if a, b := strings.Join(got, "\n"), strings.Join(want, "\n"); a != b {
		t.Errorf("got\n%s\nnot\n%s", a, b)
	}
	assert.Check(t, is.Contains(err.Error(), "9:   kills = [{rank = 4,"), "the source is not shown:\n%v", err)

	// A plan that nobody has written has no places.
	err = (&faults.Plan{Kills: []faults.Kill{{Rank: 2}}}).Check(2)
	if err == nil || !strings.Contains(err.Error(), "There is no rank 2 in a world of 2; its ranks are 0 to 1.") ||
		strings.Contains(err.Error(), "line") {
		t.Errorf("without places: %v", err)
	}
	assert.Check(t, (*faults.Plan)(nil).Check(0))
}
