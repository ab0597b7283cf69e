package tested_test

import "raysteps/step02/tested"

type outer struct{ s tested.Sphere }

func (o *outer) Hit() bool { return o.s.Hit() }
