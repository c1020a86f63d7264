package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Config is what configuration files and the command line say, by option:
// "connectivity.nk", "profile.data", "platform".
type Config struct {
	Lines []Line
}

// Line is one setting.
type Line struct {
	Key, Value string
	Place      string // file and line, or "command line"
}

// sections are the headings of configuration files and what may stand below them
// (UG1393, "Vitis Compiler Configuration File"). "*" is anything.
var sections = map[string][]string{
	"connectivity": {"nk", "slr", "sp", "sc", "stream_connect", "connect", "noc.connect", "noc.read_bw", "noc.write_bw"},
	"clock": {"defaultFreqHz", "defaultfreqhz", "default_freqhz", "defaultId", "default_id", "defaultTolerance",
		"default_tolerance", "freqHz", "freqhz", "id", "tolerance"},
	"profile":  {"data", "exec", "stall", "aie", "trace_memory"},
	"debug":    {"chipscope", "protocol", "list_ports", "aie.chipscope"},
	"vivado":   {"prop", "param", "impl.jobs", "impl.lsf", "impl.strategies", "synth.jobs", "synth.lsf"},
	"advanced": {"param", "prop", "misc"},
	"linkhook": {"custom", "do_first", "do_last", "list_steps"},
	"hls":      {"*"},
	"package":  {"*"},
	"aie":      {"*"},
}

// general are the options that a file may hold without a heading.
var general = []string{"platform", "target", "kernel_frequency", "freqhz", "debug", "save-temps", "optimize",
	"report_level", "temp_dir",
	"log_dir", "report_dir", "jobs", "include", "define", "kernel", "message_rules", "no_ip_cache", "remote_ip_cache",
	"user_ip_repo_paths",
	"user_board_repo_paths", "part", "output", "input_files", "verbose", "mode", "work_dir", "link", "compile"}

// Error is what a tool refuses, with its code.
type Error struct {
	Code, Text string
}

func (e *Error) Error() string { return fmt.Sprintf("[%s] %s", e.Code, e.Text) }

func refuse(code, format string, args ...any) error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// ReadConfig reads configuration files.
func ReadConfig(files []string) (*Config, error) {
	c := &Config{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, refuse("v++ 60-1258", "The configuration file '%s' does not exist or cannot be read", file)
		}
		if err := c.add(file, string(text)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Config) add(file, text string) error {
	section := ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		place := fmt.Sprintf("%s:%d", file, i+1)
		if line == "" || line[0] == '#' || line[0] == ';' {
			continue
		}
		if line[0] == '[' {
			section = strings.ToLower(strings.Trim(line, "[]"))
			if _, ok := sections[section]; !ok || line[len(line)-1] != ']' {
				return refuse("v++ 60-0", "unrecognised section '%s' in configuration file (%s)", line, place)
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok {
			return refuse("v++ 60-0", "the options configuration file contains an invalid line '%s' (%s)", line, place)
		}
		known := general
		if section != "" {
			known = sections[section]
		}
		full := strings.TrimPrefix(section+"."+key, ".")
		if !slices.Contains(known, key) && !slices.Contains(known, "*") {
			return refuse("v++ 60-0", "unrecognised option '%s' in configuration file (%s)", full, place)
		}
		if value == "" {
			return refuse("v++ 60-0", "the required argument for option '--%s' is missing (%s)", full, place)
		}
		c.Lines = append(c.Lines, Line{full, value, place})
	}
	return nil
}

// All are the values of an option.
func (c *Config) All(key string) []string {
	var all []string
	for _, l := range c.Lines {
		if l.Key == key {
			all = append(all, l.Value)
		}
	}
	return all
}

// Get is the last value of an option.
func (c *Config) Get(key string) string {
	all := c.All(key)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}
