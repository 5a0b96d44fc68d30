package structure

// Expected is gem5's ExpectedMap (mem/ruby/common) in words: how many responses
// and data messages of which types a transaction waits for.
type Expected []uint64

// ExpectedWords is the number of words of an Expected, and MaxTypes the number
// of types of messages that it can tell apart.
const (
	ExpectedWords = 9
	MaxTypes      = 64
)

// The words of an Expected.
const (
	total     = iota // messages expected
	chunks           // messages that a line's data comes in
	pieces           // messages received for the data under way
	datas            // data that came, in lines
	responses        // that came
	dataTypes        // expected
	respTypes        // expected
	dataCame         // types of those that came
	respCame
)

// Clear starts anew; a line's data comes in a number of messages.
func (e Expected) Clear(n uint64) {
	clear(e)
	e[chunks] = n
}

// ExpectResponse adds a type of response.
func (e Expected) ExpectResponse(typ uint64) {
	e[respTypes] |= 1 << typ
	e[respCame] &^= 1 << typ
}

// ExpectData adds a type of message with data.
func (e Expected) ExpectData(typ uint64) {
	e[dataTypes] |= 1 << typ
	e[dataCame] &^= 1 << typ
}

// SetCount and AddCount change the number of messages expected.
func (e Expected) SetCount(n uint64) { e[total] = n }
func (e Expected) AddCount(n uint64) { e[total] += n }

// Received is the number of messages that came, where data counts once it is
// complete, and Left that of those still expected.
func (e Expected) Received() uint64 { return e[datas] + e[responses] }
func (e Expected) Left() uint64     { return e[total] - e.Received() }

// HasResponse and HasData report whether any came.
func (e Expected) HasResponse() bool { return e[responses] != 0 }
func (e Expected) HasData() bool     { return e[datas] != 0 }

// ResponseOf and DataOf report whether any of a type came since that was
// expected last.
func (e Expected) ResponseOf(typ uint64) bool { return e[respCame]>>typ&1 != 0 }
func (e Expected) DataOf(typ uint64) bool     { return e[dataCame]>>typ&1 != 0 }

// Response notes a response; false if its type is not expected.
func (e Expected) Response(typ uint64) (bool, error) {
	if int64(e.Received()) >= int64(e[total]) {
		return false, Fault("expected map: a response more than expected")
	}
	if e[respTypes]>>typ&1 == 0 {
		return false, nil
	}
	e[respCame] |= 1 << typ
	e[responses]++
	return true, nil
}

// Data notes a message with data; false if its type is not expected.
func (e Expected) Data(typ uint64) (bool, error) {
	if int64(e.Received()) > int64(e[total]) {
		return false, Fault("expected map: data more than expected")
	}
	if e[dataTypes]>>typ&1 == 0 {
		return false, nil
	}
	e[dataCame] |= 1 << typ
	if e[pieces]++; e[pieces] == e[chunks] {
		e[datas]++
		e[pieces] = 0
	}
	return true, nil
}
