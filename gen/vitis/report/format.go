package report

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// decimal writes a number with at most so many digits after the point.
func decimal(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// fixed writes a number with exactly so many digits after the point.
func fixed(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// grouped writes a whole number with blanks between groups of three digits.
func grouped(v float64) string {
	whole, rest, _ := strings.Cut(decimal(v, 1), ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + " " + whole[at:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return sign + whole
}

// change writes a difference with its sign; nothing if it would be written as 0.
func change(now, before float64, write func(float64) string) string {
	d := now - before
	text := write(math.Abs(d))
	if strings.Trim(text, "0.% ") == "" {
		return ""
	}
	if d < 0 {
		return "-" + text
	}
	return "+" + text
}

// duration writes a time as people say it: "2 h 45 min", "41 min 29 s", "3.2 s".
func duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + duration(-d)
	case d < 10*time.Second:
		return decimal(d.Seconds(), 1) + " s"
	case d < time.Minute-time.Second/2:
		return decimal(d.Seconds(), 0) + " s"
	case d < time.Hour-time.Second/2:
		d = d.Round(time.Second)
		return two(int(d.Minutes()), "min", int(d.Seconds())%60, "s")
	default:
		d = d.Round(time.Minute)
		return two(int(d.Hours()), "h", int(d.Minutes())%60, "min")
	}
}

func two(a int, unitA string, b int, unitB string) string {
	text := strconv.Itoa(a) + " " + unitA
	if b > 0 {
		text += " " + strconv.Itoa(b) + " " + unitB
	}
	return text
}

func secondsOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
