package html

// What bounds the size of a page, whatever the campaign was.
const (
	findingsShown = 200  // findings with all that is known of them
	findingsNamed = 1000 // findings with a line
	rowsShown     = 400  // configurations, canaries, survivors
	configsShown  = 8    // configurations of a finding
	cellsShown    = 20_000

	titleShown = 240 // characters
	nameShown  = 80
	lineShown  = 300
	linesShown = 60
	textShown  = 6_000
	fileShown  = 40_000 // of campaign.yaml

	picturesLimit = 2_500_000 // bytes of all pictures, as they are embedded
	checkedMost   = 40        // findings checked again for their picture

	programLines = 48
	programLimit = 1 << 20 // bytes of files to read
	textLimit    = 8 << 20
	pictureLimit = 400_000
	matrixLimit  = 1 << 30
)
