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
	"step01":       constructorOf(step01.New),
	"step02":       constructorOf(step02.New),
	"step03":       constructorOf(step03.New),
	"step04":       constructorOf(step04.New),
	"step05":       constructorOf(step05.New),
	"step06":       constructorOf(step06.New),
	"step07":       constructorOf(step07.New),
	"step08":       constructorOf(step08.New),
	"step09":       constructorOf(step09.New),
	"step10":       constructorOf(step10.New),
	"step11":       constructorOf(step11.New),
	"step12":       constructorOf(step12.New),
	"step13":       constructorOf(step13.New),
	"avx512":       constructorOf(avx512.New),
	"archsimd":     constructorOf(archsimd.New),
	"wavefront":    constructorOf(wavefront.New),
	"tree":         constructorOf(tree.New),
	"instrumented": constructorOf(instrumented.New),
}

// constructorOf returns a constructor of a step as one of any tracer.
func constructorOf[T common.Tracer](constructor func(*scene.Scene) T) func(*scene.Scene) common.Tracer {
	return func(s *scene.Scene) common.Tracer { return constructor(s) }
}
