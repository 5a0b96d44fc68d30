package guide

// The histories, found by enumeration: a load reads the store of its value, 0
// is the initial one.
const (
	storeBuffering = `
0: M[x] := 1
0: M[y] == 0
1: M[y] := 1
1: M[x] == 0
`
	messagePassing = `
0: M[x] := 1
0: M[y] := 1
1: M[y] == 1
1: M[x] == 0
`
	loadLoadHazard = `
0: M[x] := 1
1: M[x] == 1
1: M[x] == 0
`
	threeThreads = `
0: M[x] := 1
0: M[y] == 0
1: M[y] := 1
1: M[x] := 2
1: M[z] == 0
2: M[z] := 1
2: M[x] == 1
`
	ownFuture = `
0: M[x] == 1
0: M[x] := 1
`
	convergence = `
0: M[x] := 1
0: M[y] := 1
0: M[y] == 2
1: M[y] == 2
1: M[x] == 0
2: M[y] := 2
`
	twoOrders = `
0: M[x] := 1
0: M[x] == 2
1: M[x] := 2
1: M[x] == 1
`
	unseen = `
0: M[x] := 1
0: M[x] == 2
0: M[x] == 1
1: M[x] := 2
`
	splitSC = `
0: M[a] := 1
0: M[b] := 1
0: M[x] := 1
1: M[c] := 1
1: M[d] := 1
1: M[x] := 2
2: M[x] == 2
2: M[a] := 2
2: M[b] == 1
3: M[x] == 2
3: M[b] := 2
3: M[a] == 1
4: M[x] == 1
4: M[c] := 2
4: M[d] == 1
5: M[x] == 1
5: M[d] := 2
5: M[c] == 1
`
	splitTSO = `
0: M[a] := 1
0: M[b] := 1
0: M[x] := 1
1: M[c] := 1
1: M[d] := 1
1: M[x] := 2
2: M[x] == 2
2: M[a] := 2
2: sync
2: M[b] == 1
3: M[x] == 2
3: M[b] := 2
3: sync
3: M[a] == 1
4: M[x] == 1
4: M[c] := 2
4: sync
4: M[d] == 1
5: M[x] == 1
5: M[d] := 2
5: sync
5: M[c] == 1
`
	splitPSO = `
0: M[a] := 1
0: M[b] := 1
0: sync
0: M[x] := 1
1: M[c] := 1
1: M[d] := 1
1: sync
1: M[x] := 2
2: M[x] == 2
2: M[a] := 2
2: sync
2: M[b] == 1
3: M[x] == 2
3: M[b] := 2
3: sync
3: M[a] == 1
4: M[x] == 1
4: M[c] := 2
4: sync
4: M[d] == 1
5: M[x] == 1
5: M[d] := 2
5: sync
5: M[c] == 1
`
)
