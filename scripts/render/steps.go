package main

import (
	"raysteps/beyond/archsimd"
	"raysteps/beyond/avx512"
	"raysteps/beyond/instrumented"
	"raysteps/beyond/tree"
	"raysteps/beyond/wavefront"
	"raysteps/common"
	"raysteps/common/scene"
	"raysteps/step01"
	"raysteps/step02"
	"raysteps/step03"
	"raysteps/step04"
	"raysteps/step05"
	"raysteps/step06"
	"raysteps/step07"
	"raysteps/step08"
	"raysteps/step09"
	"raysteps/step10"
	"raysteps/step11"
	"raysteps/step12"
	"raysteps/step13"
)

// constructors build the form of a scene that a step renders, by its name. The scene stays
// unchanged.
var constructors = map[string]func(*scene.Scene) common.Tracer{
	"step01": of(step01.New), "step02": of(step02.New), "step03": of(step03.New), "step04": of(step04.New), "step05": of(step05.New),
	"step06": of(step06.New), "step07": of(step07.New), "step08": of(step08.New), "step09": of(step09.New), "step10": of(step10.New),
	"step11": of(step11.New), "step12": of(step12.New), "step13": of(step13.New),
	"avx512": of(avx512.New), "archsimd": of(archsimd.New), "wavefront": of(wavefront.New), "tree": of(tree.New),
	"instrumented": of(instrumented.New),
}

func of[T common.Tracer](constructor func(*scene.Scene) T) func(*scene.Scene) common.Tracer {
	return func(s *scene.Scene) common.Tracer { return constructor(s) }
}
