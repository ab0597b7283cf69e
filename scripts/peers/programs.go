package main

import (
	"fmt"
	"strings"

	"raysteps/scripts/internal/results"
)

// program is one that is measured, by commands of sh in the root of the module. In their
// environment BIN is the folder of what is built, CPP that of our programs in C++, and EMBREE
// the one below which Embree is installed.
type program struct {
	kinds, scenes string
	compiler, pkg string // of a program in C++
	build         string // once, or in each ROUND if it has one; if it fails the program is left out
	run           string // in each ROUND, with a SCENE
}

const (
	three  = "small medium large"
	large  = three + " sphereflake=4 sphereflake=6 cloud=10000"
	traced = "large sphereflake=3 sphereflake=4 sphereflake=5 sphereflake=6 cloud=10000 cloud=1000000"
	// record writes the rays of all scenes, each with its spheres for a program that is not ours.
	record = "go test -c -o $BIN/record ./beyond/tree && for s in medium small " + traced + "; do $BIN/record -test.run ^TestRecordRays -recorded $BIN/$s.rays || exit 1; done"
	// Ours search for these rays, and render.
	buildRays     = "go test -c -trimpath -ldflags=-randlayout=$ROUND -o $BIN/${PACKAGE##*/}-$ROUND ./$PACKAGE"
	runRays       = "$BIN/${PACKAGE##*/}-$ROUND -test.run NONE -test.bench ^BenchmarkRays -test.benchtime 3x -test.cpu 1 -recorded $BIN/$SCENE.rays"
	buildPictures = "go test -c -trimpath -pgo=off -ldflags=-randlayout=$ROUND -o $BIN/ours-$ROUND ./scripts/render"
	runPictures   = `$BIN/ours-$ROUND -test.run NONE -test.bench "^BenchmarkPicture\$/^step=$STEP(,|\$)/(^|=)$SCENE\$" -test.benchtime 1x`
	// Embree, with all that C++ allows.
	embree = `MAJOR=3; test -d "$EMBREE/include/embree4" && MAJOR=4; g++ -std=c++17 -O3 -march=native -ffast-math -pthread -DEMBREE=$MAJOR -I"$EMBREE/include" $CPP/$NAME.cpp -o $BIN/$NAME -L"$EMBREE/lib" "-Wl,-rpath,$EMBREE/lib" -lembree$MAJOR`
	// The article's flags, but for what stands in place of -march=native -ffast-math.
	article = `$CXX -O3 -std=c++17 -pthread -fno-rtti -fno-exceptions -flto -m64 $FLAGS -fuse-ld=$LINKER -DNDEBUG -w -DSAMPLES=10 -DCOMMON="\"$PWD/../rays1bench/src/common/common.h\"" -DSTEP="\"$PWD/../rays1bench/src/step$STEP/rayweek1.cpp\"" $CPP/article.cpp ../rays1bench/src/step$STEP/soa_sphere.cpp -o $BIN/$NAME`
	toy     = `cp -r ../ToyPathTracer/Cpp/Source $BIN/source$THREADS && cd $BIN/source$THREADS && sed -i -E "s/(define.DO_SAMPLES_PER_PIXEL).*/\1 10/;s/(define.DO_LIGHT_SAMPLING).*/\1 0/;s/(define.CPU_CAN_DO_THREADS).*/\1 $THREADS/" Config.h && g++ -std=c++17 -O3 -march=native -ffast-math -pthread -w -include cstring -I. -IenkiTS $CPP/toy.cpp Maths.cpp Test.cpp enkiTS/TaskScheduler.cpp enkiTS/TaskScheduler_c.cpp -o $BIN/toy$THREADS`
)

// programs returns all, and first what they need.
func programs() (all []program) {
	all = append(all, program{kinds: "rays pictures", build: record})
	for _, folder := range []string{"beyond/tree", "beyond/wavefront", "step12"} {
		set, scenes := "PACKAGE="+folder+"; ", "large sphereflake=3 sphereflake=4 cloud=10000"
		if folder == "beyond/tree" {
			scenes = traced
		}
		all = append(all, program{kinds: "rays", scenes: scenes, build: set + buildRays, run: set + runRays})
	}
	for step, kinds := range map[string]string{"9": "pictures", "10": "pictures flags", "11": "pictures flags", "12": "pictures flags",
		"13": "pictures", "wavefront": "pictures", "tree": "pictures"} {
		scenes := three
		if step == "tree" {
			scenes = large
		}
		all = append(all, program{kinds: kinds, scenes: scenes, pkg: results.Package(step), build: buildPictures, run: "STEP=" + step + "; " + runPictures})
	}
	all = append(all,
		program{"rays", traced, "g++", "", "NAME=rays; " + embree, "$BIN/rays $BIN/$SCENE.rays $SCENE"},
		program{"pictures", large, "g++", "peer/g++/embree", "NAME=embree; " + embree, "$BIN/embree 1280 720 10 $BIN/$SCENE.rays $SCENE"},
		program{"pictures", "medium", "g++", "peer/toy0", "THREADS=0; " + toy, "$BIN/toy0 $SCENE"},
		program{"pictures", "medium", "g++", "peer/toy1", "THREADS=1; " + toy, "$BIN/toy1 $SCENE"})
	for cxx, linker := range map[string]string{"g++": "bfd", "clang++-19": "lld"} {
		for step := 9; step <= 13; step++ {
			old := "-march=x86-64-v2"
			if step >= 12 {
				old += " -mavx2 -mfma"
			}
			for _, f := range [][3]string{
				{"pictures flags", "", "-march=native -ffast-math"},
				{"flags", "/x86-64-v2+fast-math", old + " -ffast-math"},
				{"flags", "/x86-64-v2+fp-contract=off", old + " -ffp-contract=off"},
			} {
				pkg := fmt.Sprintf("peer/%s%s/step%02d", cxx, f[1], step)
				name := strings.ReplaceAll(pkg, "/", "-")
				set := fmt.Sprintf("CXX=%s LINKER=%s STEP=%d NAME=%s FLAGS=%q; ", cxx, linker, step, name, f[2])
				if f[1] == "" || step > 9 && step < 13 {
					all = append(all, program{f[0], three, cxx, pkg, set + article, "$BIN/" + name + " $SCENE"})
				}
			}
		}
	}
	return all
}
