package trace

import "strconv"

// Names numbers words in order of appearance, from 0.
type Names struct {
	List  []string
	small []int32          // index+1 by the value of a word that is a short number
	other map[string]int32 // index of other words
}

// maxSmall is one more than the largest number that Names looks up in a table.
const maxSmall = 1 << 16

// Number is Index of the word for a number below 2¹⁶.
func (n *Names) Number(v int) int32 {
	if v >= len(n.small) {
		n.small = append(n.small, make([]int32, v+1-len(n.small))...)
	}
	if n.small[v] == 0 {
		n.List = append(n.List, strconv.Itoa(v))
		n.small[v] = int32(len(n.List))
	}
	return n.small[v] - 1
}

// Index is the number of a word, a new one where it is first seen.
func (n *Names) Index(word []byte) int32 {
	if v, ok := smallNumber(word); ok {
		return n.Number(v)
	}
	i, ok := n.other[string(word)]
	if !ok {
		i = int32(len(n.List))
		if n.other == nil {
			n.other = map[string]int32{}
		}
		n.List = append(n.List, string(word))
		n.other[n.List[i]] = i
	}
	return i
}

// smallNumber is the value of a word that is a number below maxSmall without
// leading zeros.
func smallNumber(word []byte) (v int, ok bool) {
	if len(word) == 0 || len(word) > 5 || word[0] == '0' && len(word) > 1 {
		return 0, false
	}
	for _, c := range word {
		if c-'0' > 9 {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	return v, v < maxSmall
}
