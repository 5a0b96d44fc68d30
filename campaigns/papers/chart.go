package papers

// Chart is a figure: lines over two axes.
type Chart struct {
	Title  string   `json:"title,omitempty"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
}

// Axis is an axis of a chart.
type Axis struct {
	Label string `json:"label"`
	Unit  string `json:"unit,omitempty"`
	Log   bool   `json:"log,omitempty"`
	// Base is that of the ticks of a logarithmic axis; 0 means 10.
	Base int `json:"-"`
}

// Series is a line of a chart.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// Point is a measured point. Bound says that the true value is larger, since
// some checks gave up.
type Point struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Bound bool    `json:"bound,omitempty"`
}

// add adds a mean time, if there is one.
func (s *Series) add(x float64, t Seconds) {
	if t.Histories > 0 {
		s.Points = append(s.Points, Point{X: x, Y: t.Mean, Bound: t.GaveUp > 0})
	}
}
