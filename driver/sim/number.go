package sim

import "math"

// integer is the value of a number as JSON spells it, exactly: also 256.0 and
// 2.56e2 are 256. fits is false if it has a fraction or its magnitude takes more
// than 64 bits.
func integer(text []byte) (negative bool, magnitude uint64, fits bool) {
	i := 0
	if text[0] == '-' {
		negative = true
		i++
	}
	// The value is magnitude · 10^exponent. Zeros are held back, because they may be
	// the end of the fraction.
	var exponent, zeros int64
	fits = true
	fraction := false
	for ; i < len(text) && text[i]|0x20 != 'e'; i++ {
		c := text[i]
		if c == '.' {
			fraction = true
			continue
		}
		if fraction {
			exponent--
		}
		if c == '0' {
			if magnitude != 0 {
				zeros++
			}
			continue
		}
		if fits {
			magnitude, fits = shift(magnitude, zeros+1)
		}
		zeros = 0
		if d := uint64(c - '0'); magnitude > math.MaxUint64-d {
			fits = false
		} else {
			magnitude += d
		}
	}
	if magnitude == 0 && fits {
		return negative, 0, true
	}
	exponent += zeros
	if i < len(text) {
		exponent += power(text[i+1:])
	}
	if !fits || exponent < 0 {
		return negative, 0, false
	}
	magnitude, fits = shift(magnitude, exponent)
	return negative, magnitude, fits
}

// shift is v · 10^by.
func shift(v uint64, by int64) (uint64, bool) {
	if v == 0 {
		return 0, true
	}
	if by > 19 {
		return 0, false
	}
	for range by {
		if v > math.MaxUint64/10 {
			return 0, false
		}
		v *= 10
	}
	return v, true
}

// power is the number behind the e, bounded so that sums of it do not overflow.
func power(text []byte) int64 {
	const bound = 1 << 50
	v, negative := int64(0), false
	for _, c := range text {
		switch c {
		case '-':
			negative = true
		case '+':
		default:
			v = min(10*v+int64(c-'0'), bound)
		}
	}
	if negative {
		return -v
	}
	return v
}
