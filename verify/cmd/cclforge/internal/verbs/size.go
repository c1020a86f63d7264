package verbs

import "fmt"

// sizeText writes a number of bytes for people: "1.5 GiB".
func sizeText(n int64) string {
	for i, unit := range []string{"TiB", "GiB", "MiB", "KiB"} {
		if is := int64(1) << (40 - 10*i); n >= is {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(is), unit)
		}
	}
	return fmt.Sprintf("%d B", n)
}
