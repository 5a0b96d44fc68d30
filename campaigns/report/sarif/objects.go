package sarif

// The version of SARIF, and its schema.
const (
	version = "2.1.0"
	schema  = "https://json.schemastore.org/sarif-2.1.0.json"
)

// The objects of SARIF, as far as they are written; names are those of the standard.
type (
	logObject struct {
		Schema  string      `json:"$schema"`
		Version string      `json:"version"`
		Runs    []runObject `json:"runs"`
	}
	runObject struct {
		Tool        toolObject         `json:"tool"`
		Invocations []invocationObject `json:"invocations"`
		Results     []resultObject     `json:"results"`
		Columns     string             `json:"columnKind"`
		Properties  map[string]any     `json:"properties"`
	}
	toolObject struct {
		Driver driverObject `json:"driver"`
	}
	driverObject struct {
		Name    string       `json:"name"`
		Version string       `json:"version,omitempty"`
		Rules   []ruleObject `json:"rules"`
	}
	ruleObject struct {
		ID    string        `json:"id"`
		Name  string        `json:"name"`
		Short messageObject `json:"shortDescription"`
	}
	invocationObject struct {
		CommandLine string `json:"commandLine,omitempty"`
		Start       string `json:"startTimeUtc,omitempty"`
		Successful  bool   `json:"executionSuccessful"`
	}
	messageObject struct {
		Text string `json:"text"`
	}
	resultObject struct {
		Rule         string              `json:"ruleId"`
		Index        int                 `json:"ruleIndex"`
		Level        string              `json:"level"`
		Message      messageObject       `json:"message"`
		Locations    []locationObject    `json:"locations,omitempty"`
		Fingerprints map[string]string   `json:"partialFingerprints"`
		Baseline     string              `json:"baselineState,omitempty"`
		Suppressions []suppressionObject `json:"suppressions,omitempty"`
		Properties   map[string]any      `json:"properties,omitempty"`
	}
	suppressionObject struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification,omitempty"`
	}
	locationObject struct {
		Physical physicalObject  `json:"physicalLocation"`
		Logical  []logicalObject `json:"logicalLocations,omitempty"`
	}
	physicalObject struct {
		Artifact artifactObject `json:"artifactLocation"`
		Region   *regionObject  `json:"region,omitempty"`
	}
	artifactObject struct {
		URI string `json:"uri"`
	}
	regionObject struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn,omitempty"`
	}
	logicalObject struct {
		Name string `json:"fullyQualifiedName"`
	}
)
