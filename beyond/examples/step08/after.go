package step08

// TotalLocal adds up what all requests cost.
func (p *Plan) TotalLocal(bytes []float64) (total float64) {
	perByte, perRequest := p.PerByte, p.PerRequest
	for _, n := range bytes {
		total += n*perByte + perRequest
	}
	return total
}

// FillLocal computes what each request costs. Bytes and Cost have one length.
func (b *Bill) FillLocal() {
	perByte, perRequest := b.Plan.PerByte, b.Plan.PerRequest
	cost, bytes := b.Cost, b.Bytes[:len(b.Cost)]
	for i, n := range bytes {
		cost[i] = n*perByte + perRequest
	}
}

// CountLocal counts the requests that cost more than a limit.
func (a *Account) CountLocal(limit float64) (n int) {
	perByte, perRequest := a.Bill.Plan.PerByte, a.Bill.Plan.PerRequest
	for _, bytes := range a.Bill.Bytes {
		if bytes*perByte+perRequest > limit {
			n++
		}
	}
	return n
}
