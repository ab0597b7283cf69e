// Package lose measures when a structure of arrays is the wrong choice: one field or all of
// them, in order or at random, of eight elements or a million, beside a slice of structs.
package lose

//go:generate go tool soagen -type Order -methods New,AppendSlice,At

// Order is an order at an exchange. It fills a cache line.
type Order struct {
	ID, Account, Symbol, Time int64
	Price, Quantity, Filled   int64
	Flags                     int64
}
