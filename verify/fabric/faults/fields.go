package faults

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/verify/fabric"
)

// Fields is a set of parts of a condition.
type Fields uint

// The parts of a condition.
const (
	Latency Fields = 1 << iota
	Jitter
	Bandwidth
	Loss
	Duplicate
	Reorder
	Corrupt
	Cut
)

// field is how a part of a condition is read and written.
type field struct {
	name string
	bit  Fields
	read func(c *fabric.Condition, v cty.Value) error
	text func(c *fabric.Condition) string
	copy func(to, from *fabric.Condition)
}

// fields are the attributes that links have. All but cut are also for a whole
// network.
var fields = []field{
	newField("latency", Latency, func(c *fabric.Condition) *time.Duration { return &c.Latency },
		readDuration, durationText),
	newField("jitter", Jitter, func(c *fabric.Condition) *time.Duration { return &c.Jitter }, readDuration, durationText),
	newField("bandwidth", Bandwidth, func(c *fabric.Condition) *float64 { return &c.BytesPerSecond }, readRate, rateText),
	newField("loss", Loss, func(c *fabric.Condition) *float64 { return &c.Loss }, readProbability, numberText),
	newField("duplicate", Duplicate, func(c *fabric.Condition) *float64 { return &c.Duplicate },
		readProbability, numberText),
	newField("reorder", Reorder, func(c *fabric.Condition) *float64 { return &c.Reorder }, readProbability, numberText),
	newField("corrupt", Corrupt, func(c *fabric.Condition) *float64 { return &c.Corrupt }, readProbability, numberText),
	newField("cut", Cut, func(c *fabric.Condition) *bool { return &c.Cut }, readBool, strconv.FormatBool),
}

func newField[T any](name string, bit Fields, at func(*fabric.Condition) *T, read func(cty.Value) (T, error),
	text func(T) string) field {
	return field{
		name: name, bit: bit,
		read: func(c *fabric.Condition, v cty.Value) (err error) {
			*at(c), err = read(v)
			return err
		},
		text: func(c *fabric.Condition) string { return text(*at(c)) },
		copy: func(to, from *fabric.Condition) { *at(to) = *at(from) },
	}
}

var (
	errBool        = errors.New("write true or false")
	errProbability = errors.New("a probability is a number from 0 to 1")
	errDuration    = errors.New(`write a time with its unit, for example "2ms" or "1.5s"`)
	errNegative    = errors.New("it must not be negative")
	errRate        = errors.New(`write a rate with its unit, for example "1GB/s" or "10Gbit/s"; 0 is no limit`)
)

func readBool(v cty.Value) (bool, error) {
	if v.Type() != cty.Bool {
		return false, errBool
	}
	return v.True(), nil
}

func readProbability(v cty.Value) (float64, error) {
	if v.Type() != cty.Number {
		return 0, errProbability
	}
	f, _ := v.AsBigFloat().Float64()
	if f < 0 || f > 1 {
		return 0, errProbability
	}
	return f, nil
}

func numberText(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func readDuration(v cty.Value) (time.Duration, error) {
	if isZero(v) {
		return 0, nil
	}
	if v.Type() != cty.String {
		return 0, errDuration
	}
	d, err := time.ParseDuration(v.AsString())
	switch {
	case err != nil:
		return 0, errDuration
	case d < 0:
		return 0, errNegative
	}
	return d, nil
}

func isZero(v cty.Value) bool { return v.Type() == cty.Number && v.AsBigFloat().Sign() == 0 }

func durationText(d time.Duration) string {
	text := strings.Replace(d.String(), "µs", "us", 1)
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return strconv.Quote(text)
}

// units are bytes a second, the larger ones first.
var units = []struct {
	name  string
	bytes float64
}{
	{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1},
	{"TiB/s", 1 << 40}, {"GiB/s", 1 << 30}, {"MiB/s", 1 << 20}, {"KiB/s", 1 << 10},
	{"Tbit/s", 1e12 / 8}, {"Gbit/s", 1e9 / 8}, {"Mbit/s", 1e6 / 8}, {"kbit/s", 1e3 / 8}, {"bit/s", 1. / 8},
}

var rate = regexp.MustCompile(`^\s*(-?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z]+/s)\s*$`)

func readRate(v cty.Value) (float64, error) {
	if isZero(v) {
		return 0, nil
	}
	if v.Type() != cty.String {
		return 0, errRate
	}
	parts := rate.FindStringSubmatch(v.AsString())
	if parts == nil {
		return 0, errRate
	}
	n, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return 0, errRate
	}
	var names []string
	for _, u := range units {
		if names = append(names, u.name); u.name == parts[2] {
			switch n *= u.bytes; {
			case n < 0:
				return 0, errNegative
			case math.IsInf(n, 0):
				return 0, errRate
			}
			return n, nil
		}
	}
	return 0, fmt.Errorf("the unit %s is not known; there are %s", parts[2], strings.Join(names, ", "))
}

func rateText(f float64) string {
	if f == 0 {
		return "0"
	}
	for _, u := range units {
		text := numberText(f/u.bytes) + u.name
		if back, err := readRate(cty.StringVal(text)); err == nil && back == f && (f >= u.bytes || u.bytes == 1) {
			return strconv.Quote(text)
		}
	}
	return "0"
}
