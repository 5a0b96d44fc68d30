package trace

// Names numbers words in order of appearance, from 0.
type Names struct {
	List  []string
	index map[string]int32
}

// Index is the number of a word, a new one where it is first seen.
func (n *Names) Index(word []byte) int32 {
	i, ok := n.index[string(word)]
	if !ok {
		i = int32(len(n.List))
		if n.index == nil {
			n.index = map[string]int32{}
		}
		n.List = append(n.List, string(word))
		n.index[n.List[i]] = i
	}
	return i
}
