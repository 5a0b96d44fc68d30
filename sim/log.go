package sim

// Log is what one run printed: frames in the form that package wire defines.
type Log []byte
