package html

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"ordeal/campaigns/internal/messages"
)

// short writes a number in at most four characters: 950, 1.2k, 34k, 5.1M.
func short(n float64) string {
	for _, unit := range []string{"", "k", "M", "G", "T"} {
		switch {
		case unit == "" && n < 0.95:
			return strconv.FormatFloat(n, 'g', 2, 64)
		case n < 9.95 && n != math.Trunc(n):
			return strconv.FormatFloat(n, 'f', 1, 64) + unit
		case n < 999.5:
			return strconv.FormatFloat(n, 'f', 0, 64) + unit
		}
		n /= 1000
	}
	return strconv.FormatFloat(n, 'g', 3, 64) + "P"
}

// rate writes a number per second.
func rate(n float64) string {
	if n >= 100 {
		return messages.Comma(int(n + 0.5))
	}
	return strconv.FormatFloat(n, 'f', 1, 64)
}

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

// seconds is a duration of a number of seconds.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
