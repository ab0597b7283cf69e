package step08

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

// limit is what half of the requests cost more than.
const limit = 0.004

var account = sync.OnceValue(func() *Account {
	b := &Bill{Plan: &Plan{PerByte: 1e-6, PerRequest: 1e-3}}
	for _, e := range accesslog.Entries(accesslog.Generate(1, 10_000)) {
		b.Bytes = append(b.Bytes, float64(e.Bytes))
	}
	b.Cost = make([]float64, len(b.Bytes))
	return &Account{b}
})

func TestSame(t *testing.T) {
	a := account()
	b := a.Bill
	assert.NotZero(t, b.Plan.Total(b.Bytes))
	assert.Equal(t, b.Plan.Total(b.Bytes), b.Plan.TotalLocal(b.Bytes))
	b.Fill()
	want := slices.Clone(b.Cost)
	clear(b.Cost)
	b.FillLocal()
	assert.Equal(t, want, b.Cost)
	assert.InDelta(t, 5_000, a.Count(limit), 1_000)
	assert.Equal(t, a.Count(limit), a.CountLocal(limit))
}

// BenchmarkExample: an operation is 10,000 requests.
func BenchmarkExample(b *testing.B) {
	a := account()
	bill := a.Bill
	b.Run("func=Total/version=before", func(b *testing.B) {
		for b.Loop() {
			bill.Plan.Total(bill.Bytes)
		}
	})
	b.Run("func=Total/version=after", func(b *testing.B) {
		for b.Loop() {
			bill.Plan.TotalLocal(bill.Bytes)
		}
	})
	b.Run("func=Fill/version=before", func(b *testing.B) {
		for b.Loop() {
			bill.Fill()
		}
	})
	b.Run("func=Fill/version=after", func(b *testing.B) {
		for b.Loop() {
			bill.FillLocal()
		}
	})
	b.Run("func=Count/version=before", func(b *testing.B) {
		for b.Loop() {
			a.Count(limit)
		}
	})
	b.Run("func=Count/version=after", func(b *testing.B) {
		for b.Loop() {
			a.CountLocal(limit)
		}
	})
}
