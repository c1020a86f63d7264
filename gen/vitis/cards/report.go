package cards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The reports differ between versions of XRT in where a value stands and in
// whether it is a number or a string; names of values have stayed the same. So
// values are looked up by name, wherever they are. Places that were seen:
// 2.13 (2022.1): system.host.devices[], devices[].{platforms[],dynamic_regions[],
// electrical,thermals[],pcie_info}; 2.18: the same, of xrt-smi.
var (
	shellNames     = []string{"vbnv", "name"}
	loadedNames    = []string{"xclbin_uuid"}
	powerNames     = []string{"power_consumption_watts"}
	powerMaxNames  = []string{"power_consumption_max_watts"}
	interfaceNames = []string{"logic_uuid", "interface_uuid", "id"}
)

// startBit is set in a compute unit's status while it works (xrt: ap_ctrl, bit 0).
const startBit = 0x1

func decode(text []byte) (any, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, errors.New("it is not an object")
	}
	return v, nil
}

// listed reads the list of cards: an array "devices" whose elements have a "bdf".
func listed(report any) ([]Card, error) {
	var cards []Card
	found := false
	walk(report, "", func(name string, v any) bool {
		if name != "devices" || found && len(cards) > 0 {
			return true
		}
		list, ok := v.([]any)
		if !ok {
			// An empty list is an empty string in some versions.
			found = found || v == ""
			return true
		}
		found = true
		for _, e := range list {
			bdf := value(e, "bdf")
			if bdf == "" {
				continue
			}
			shell := known(first(e, shellNames))
			c := Card{Index: len(cards), BDF: bdf, Shell: shell, Name: boardOf(shell), Ready: isTrue(value(e, "is_ready"))}
			c.Interface = ids(e)
			cards = append(cards, c)
		}
		return true
	})
	if !found {
		return nil, errors.New("there is no list of devices in its report")
	}
	return cards, nil
}

func (c *Card) detail(report any) {
	if root, ok := report.(map[string]any); ok && root["devices"] != nil {
		report = root["devices"] // not what is said of the host
	}
	c.Loaded = uuid(find(report, loadedNames))
	c.Power = number(find(report, powerNames))
	c.PowerLimit = number(find(report, powerMaxNames))
	if c.Shell == "" {
		c.Shell = known(find(report, []string{"vbnv"}))
		c.Name = boardOf(c.Shell)
	}
	var link Link
	walk(report, "", func(name string, v any) bool {
		switch e, _ := v.(map[string]any); {
		case e == nil:
		case name == "pcie_info" || e["link_speed_gbit_sec"] != nil:
			link = Link{
				Generation: int(number(value(e, "link_speed_gbit_sec"))), Lanes: int(number(value(e, "express_lane_width_count"))),
				ExpectedGeneration: int(number(value(e, "expected_link_speed_gbit_sec"))),
				ExpectedLanes:      int(number(value(e, "expected_express_lane_width_count"))),
			}
		case e["temp_C"] != nil:
			if t := number(value(e, "temp_C")); t != 0 && value(e, "is_present") != "false" {
				c.Temperatures = append(c.Temperatures, Temperature{first(e, []string{"location_id", "description"}), t})
			}
		case e["base_address"] != nil && e["status"] != nil:
			if working(e["status"]) {
				c.Running = append(c.Running, value(e, "name"))
			}
		}
		return true
	})
	if link.Generation > 0 {
		c.Link = &link
	}
}

func working(status any) bool {
	mask := find(status, []string{"bit_mask"})
	bits, err := strconv.ParseUint(strings.TrimPrefix(strings.ToLower(mask), "0x"), 16, 64)
	return err == nil && bits&startBit != 0
}

// ids are the UUIDs of a card's shell.
func ids(e any) []string {
	var list []string
	for _, name := range interfaceNames {
		if id := uuid(value(e, name)); id != "" {
			list = append(list, id)
		}
	}
	return list
}

// walk visits all values, those nearer to the root and earlier by name first.
func walk(v any, name string, visit func(name string, v any) bool) {
	if !visit(name, v) {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sorted(v) {
			walk(v[key], key, visit)
		}
	case []any:
		for _, e := range v {
			walk(e, "", visit)
		}
	}
}

// find is the first value with one of the names, wherever it is.
func find(v any, names []string) string {
	for _, name := range names {
		result := ""
		walk(v, "", func(at string, v any) bool {
			if at == name && result == "" {
				result = scalar(v)
			}
			return result == ""
		})
		if result != "" {
			return result
		}
	}
	return ""
}

func first(v any, names []string) string {
	for _, name := range names {
		if s := value(v, name); s != "" {
			return s
		}
	}
	return ""
}

func value(v any, name string) string {
	object, _ := v.(map[string]any)
	return scalar(object[name])
}

func scalar(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

func isTrue(s string) bool { return s == "true" || s == "1" || strings.EqualFold(s, "yes") }

// number reads a number; 0 if there is none.
func number(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 || n > 1e6 {
		return 0
	}
	return n
}

// known is a text, or nothing if it says that it is not known.
func known(s string) string {
	switch strings.ToLower(s) {
	case "n/a", "na", "unknown":
		return ""
	}
	return s
}

// uuid is a UUID in lower case; nothing if it is none, or all zeros.
func uuid(s string) string {
	s = strings.TrimPrefix(strings.ToLower(s), "0x")
	digits := strings.ReplaceAll(s, "-", "")
	if len(digits) != 32 || strings.Trim(digits, "0123456789abcdef") != "" || strings.Trim(digits, "0") == "" {
		return ""
	}
	return fmt.Sprintf("%s-%s-%s-%s-%s", digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
}
