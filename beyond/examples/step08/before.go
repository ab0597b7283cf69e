package step08

// Plan is what a customer pays.
type Plan struct{ PerByte, PerRequest float64 }

// Bill has the bytes of the requests of a customer, and what each of them costs.
type Bill struct {
	Plan  *Plan
	Bytes []float64
	Cost  []float64
}

// Account leads to a bill.
type Account struct{ Bill *Bill }

// Total adds up what all requests cost.
func (p *Plan) Total(bytes []float64) (total float64) {
	for _, n := range bytes {
		total += n*p.PerByte + p.PerRequest
	}
	return total
}

// Fill computes what each request costs. Bytes and Cost have one length.
func (b *Bill) Fill() {
	for i := range b.Cost {
		b.Cost[i] = b.Bytes[i]*b.Plan.PerByte + b.Plan.PerRequest
	}
}

// Count counts the requests that cost more than a limit.
func (a *Account) Count(limit float64) (n int) {
	for i := range a.Bill.Bytes {
		if a.Bill.Bytes[i]*a.Bill.Plan.PerByte+a.Bill.Plan.PerRequest > limit {
			n++
		}
	}
	return n
}
