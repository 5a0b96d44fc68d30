package html

import (
	"fmt"
	"strconv"
	"time"
)

// percent writes a share; what is not all is never shown as 100 %.
func percent(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	p := 100 * float64(part) / float64(whole)
	if part < whole {
		p = min(p, 99.9)
	}
	return strconv.FormatFloat(p, 'f', 1, 64) + " %"
}

// span writes a duration with its two largest units.
func span(d time.Duration) string {
	s := d.Seconds()
	switch {
	case s < 0.0995:
		return strconv.FormatFloat(s*1000, 'g', 2, 64) + " ms"
	case s < 59.95:
		return strconv.FormatFloat(s, 'f', 1, 64) + " s"
	case s < 3599.5:
		n := int(s + 0.5)
		return fmt.Sprintf("%d min %02d s", n/60, n%60)
	}
	n := int(s/60 + 0.5)
	return fmt.Sprintf("%d h %02d min", n/60, n%60)
}

// clip bounds a text from others.
func clip(s string, most int) string {
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + " …"
		}
	}
	return s
}
