# Makes stages_avx2.go of stages_avx512.go: the same stages with half as many lanes.
# 16 is the number of lanes wherever it stands there, in a name or by itself; the
# distance of a shift, for one, is in a named number (k.sixteen). AVX2 does not
# compress but permutes.
1s/^/\/\/ Code generated from stages_avx512.go by narrow.sed; DO NOT EDIT.\n\n/
s/Compress/Permute/g
s/AVX512/AVX2/g
s/AVX-512/AVX2/g
s/sixteen rays/eight rays/g
s/16/8/g
