package report

import (
	"math"
	"strconv"
	"strings"
)

// number reads a number as reports write it: "1.502", "<0.01", also with a decimal
// comma, as tools do in some locales.
func number(text string) (float64, bool) {
	text = strings.TrimLeft(strings.TrimSpace(text), "<> ")
	if strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// count reads a number of things.
func count(text string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	return n, err == nil && n >= 0
}

// leading reads the number that a text begins with: "5.5 (Junction temp exceeded!)".
func leading(text string) (float64, bool) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return 0, false
	}
	return number(fields[0])
}
