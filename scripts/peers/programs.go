package main

import (
	"fmt"
	"path"
	"strings"

	"raysteps/scripts/internal/steps"
)

// program is one that is measured, by commands of sh in the root of the module. In their
// environment BIN is the folder of what is built, CPP that of our programs in C++, and
// ARTICLE, TOY and EMBREE are those of others.
type program struct {
	kinds, scenes string
	compiler, pkg string // of a program in C++
	build         string // once, or in each ROUND if it has one; if it fails the program is left out
	run           string // in each ROUND, with a SCENE
}

const (
	three  = "small medium large"
	large  = three + " sphereflake=4 sphereflake=6 cloud=10000 cloud=1000000"
	traced = "large sphereflake=3 sphereflake=4 sphereflake=5 sphereflake=6 cloud=10000 cloud=1000000"
	// record writes the rays of all scenes, each with its spheres for a program that is not ours.
	record = "go test -c -o $BIN/record ./beyond/tree && for s in medium small " + traced + "; do $BIN/record -test.run ^TestRecordRays -recorded $BIN/$s.rays || exit 1; done"
	// Embree, with all that C++ allows.
	withEmbree = `MAJOR=3; test -d "$EMBREE/include/embree4" && MAJOR=4; g++ -std=c++17 -O3 -march=native -ffast-math -pthread -DEMBREE=$MAJOR -I"$EMBREE/include" $CPP/%s.cpp -o $BIN/%[1]s -L"$EMBREE/lib" "-Wl,-rpath,$EMBREE/lib" -lembree$MAJOR`
	// The article's flags, but for what stands in place of -march=native -ffast-math, and two
	// samples.
	article = `%s -O3 -std=c++17 -pthread -fno-rtti -fno-exceptions -flto -m64 %s -fuse-ld=%s -DNDEBUG -w -DSAMPLES=2 -DCOMMON="\"$ARTICLE/src/common/common.h\"" -DSTEP="\"$ARTICLE/src/step%d/rayweek1.cpp\"" $CPP/article.cpp "$ARTICLE/src/step%[4]d/soa_sphere.cpp" -o $BIN/%s`
	toy     = `cp -r "$TOY/Cpp/Source" $BIN/source%[1]d && cd $BIN/source%[1]d && sed -i -E 's/(define.DO_SAMPLES_PER_PIXEL).*/\1 2/;s/(define.DO_LIGHT_SAMPLING).*/\1 0/;s/(define.CPU_CAN_DO_THREADS).*/\1 %[1]d/' Config.h && g++ -std=c++17 -O3 -march=native -ffast-math -pthread -w -include cstring -I. -IenkiTS $CPP/toy.cpp Maths.cpp Test.cpp enkiTS/TaskScheduler.cpp enkiTS/TaskScheduler_c.cpp -o $BIN/toy%[1]d`
)

// programs returns all.
func programs() (all []program) {
	for _, folder := range []string{"beyond/tree", "beyond/wavefront", "step12"} {
		binary, scenes := "$BIN/"+path.Base(folder)+"-$ROUND", "large sphereflake=3 sphereflake=4 cloud=10000"
		if folder == "beyond/tree" {
			scenes = traced
		}
		all = append(all, program{kinds: "rays", scenes: scenes, build: "go test -c -trimpath -ldflags=-randlayout=$ROUND -o " + binary + " ./" + folder,
			run: binary + " -test.run NONE -test.bench ^BenchmarkRays -test.benchtime 3x -test.cpu 1 -recorded $BIN/$SCENE.rays"})
	}
	for _, step := range []string{"9", "10", "11", "12", "13", "wavefront", "tree"} {
		kinds, scenes := "pictures", three
		switch step {
		case "tree":
			scenes = large
		case "9", "10", "11", "12":
			kinds += " flags"
		}
		s, _ := steps.Find(step) // one of these
		all = append(all, program{kinds: kinds, scenes: scenes, pkg: s.Package(),
			build: "go test -c -trimpath -pgo=off -ldflags=-randlayout=$ROUND -o $BIN/ours-$ROUND ./scripts/render",
			run:   "$BIN/ours-$ROUND -test.run NONE -test.bench \"^BenchmarkPicture\\$/^step=" + step + "(,|\\$)/(^|=)$SCENE\\$\" -test.benchtime 1x"})
	}
	all = append(all,
		program{kinds: "rays", scenes: traced, compiler: "g++", build: fmt.Sprintf(withEmbree, "rays"), run: "$BIN/rays $BIN/$SCENE.rays $SCENE"},
		program{kinds: "pictures", scenes: large, compiler: "g++", pkg: "peer/g++/embree", build: fmt.Sprintf(withEmbree, "embree"), run: "$BIN/embree 1280 720 2 $BIN/$SCENE.rays $SCENE"})
	for threads := range 2 {
		all = append(all, program{kinds: "pictures", scenes: "medium", compiler: "g++", pkg: fmt.Sprint("peer/toy", threads),
			build: fmt.Sprintf(toy, threads), run: fmt.Sprintf("$BIN/toy%d $SCENE", threads)})
	}
	for cxx, linker := range map[string]string{"g++": "bfd", "clang++-19": "lld"} {
		add := func(kinds string, n int, named, flags string) {
			binary := strings.ReplaceAll(fmt.Sprint("article-", cxx, named, n), "/", "-")
			all = append(all, program{kinds: kinds, scenes: three, compiler: cxx, pkg: fmt.Sprintf("peer/%s%s/step%02d", cxx, named, n),
				build: fmt.Sprintf(article, cxx, flags, linker, n, binary), run: "$BIN/" + binary + " $SCENE"})
		}
		for n := 9; n <= 12; n++ {
			old := "-march=x86-64-v2"
			if n == 12 {
				old += " -mavx2 -mfma"
			}
			add("pictures flags", n, "", "-march=native -ffast-math")
			add("flags", n, "/native+fp-contract=off", "-march=native -ffp-contract=off")
			add("flags", n, "/x86-64-v2+fast-math", old+" -ffast-math")
			add("flags", n, "/x86-64-v2+fp-contract=off", old+" -ffp-contract=off")
		}
		add("pictures", 13, "", "-march=native -ffast-math")
	}
	return all
}
