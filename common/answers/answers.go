// Package answers holds what the steps must give, as data: how many rays they
// trace and which bytes they render, for the three scenes and for some odd ones,
// and which kernel each step is about. Tests hold the steps to it, and commands
// look up how many rays a picture takes.
package answers

import "slices"

// Answer is what a render must give.
type Answer struct {
	Rays int64
	MD5  string // of the picture as a TGA file
}

// groups holds the answers of the steps that render the same bytes. Those of
// steps 1 to 13 for the three scenes at quick size are the original program's,
// built without fast-math and contraction. The rest was recorded here, from the
// first step of each group.
var groups = []struct {
	steps []string
	known map[string]Answer
}{
	{
		[]string{"step01", "step02", "step03", "step04", "step05", "step06", "step07", "step08"},
		map[string]Answer{
			"small quick":     {36714, "211574c828cb95931779b0f4b2727c88"},
			"medium quick":    {51614, "53b2c5d28ab089c1fb737d6e3ef392ff"},
			"large quick":     {54561, "262cd6a470559e0063941a58e8bf64d3"},
			"small full":      {17010900, "c0e3adb1e8b0c375283f54cc21abc14c"},
			"medium full":     {23079871, "64983e1030a3d6add7366a6417c3ddcc"},
			"large full":      {25236693, "98c94d16a1b842a1518d308d32452187"},
			"size=1x1":        {180, "e8ada6265741669cb5ebfb0e219c0d84"},
			"size=33x17":      {4125, "85db97dc7b17783705f1355ab47a3e36"},
			"size=17x33":      {1206, "2e5248b68ce0a1ca43d42471b1b3607c"},
			"one sphere":      {5097, "c71fbb76a3c7426ec7a190a929e2607f"},
			"empty sky":       {3072, "e6152457f13d533ff6821e3f9c157636"},
			"one bounce":      {5100, "99d3dfb9153d7a31de155c01d865d15c"},
			"100,000 spheres": {298, "1cc0759d982c2f96aa3111bb5eb3d886"},
		},
	},
	{
		// Unit directions round differently, and the distance that keeps a ray
		// from hitting what it starts on is measured in them.
		[]string{"step09"},
		map[string]Answer{
			"small quick":     {36714, "211574c828cb95931779b0f4b2727c88"},
			"medium quick":    {51551, "d978c8dc09f074006512c8cac43b0d9d"},
			"large quick":     {54703, "b1c806616d9b82672489e9d5ddbdff5d"},
			"small full":      {17011965, "e5a3007ef1a2a571601804f137eb5a81"},
			"medium full":     {23089510, "fa5d62a2fb38dee1f9269a96a024bfbd"},
			"large full":      {25250185, "cc211584fbee8408d3733b0b31625d34"},
			"size=1x1":        {180, "e8ada6265741669cb5ebfb0e219c0d84"},
			"size=33x17":      {4045, "9d94c7e35bb280791a9639ebb2621190"},
			"size=17x33":      {1206, "17515e925497b9c6968585ba09ebd37e"},
			"one sphere":      {5097, "c71fbb76a3c7426ec7a190a929e2607f"},
			"empty sky":       {3072, "e6152457f13d533ff6821e3f9c157636"},
			"one bounce":      {5100, "99d3dfb9153d7a31de155c01d865d15c"},
			"100,000 spheres": {186, "3c581003b519df6b2dd9b8d27eaf6b50"},
		},
	},
	{
		// Pixel coordinates are multiplied by an inverse, and a discriminant of 0
		// counts.
		[]string{"step10"},
		map[string]Answer{
			"small quick":     {36714, "211574c828cb95931779b0f4b2727c88"},
			"medium quick":    {51988, "b1ca867dda99ca3bef68bce387953036"},
			"large quick":     {54828, "eb91b2ccbcddc42120be80c142ff29c4"},
			"small full":      {17011738, "796856b84283a622e23fd32c2d7c8baa"},
			"medium full":     {23080440, "5269ce6720235e16519815b7dcfc84db"},
			"large full":      {25242398, "c9d7ab79f430a1ab92d855f93251069d"},
			"size=1x1":        {180, "e8ada6265741669cb5ebfb0e219c0d84"},
			"size=33x17":      {4045, "9d94c7e35bb280791a9639ebb2621190"},
			"size=17x33":      {1206, "17515e925497b9c6968585ba09ebd37e"},
			"one sphere":      {5097, "c71fbb76a3c7426ec7a190a929e2607f"},
			"empty sky":       {3072, "e6152457f13d533ff6821e3f9c157636"},
			"one bounce":      {5100, "99d3dfb9153d7a31de155c01d865d15c"},
			"100,000 spheres": {245, "638e932ab05927bd688e673317c97717"},
		},
	},
	{
		// Random numbers come from other streams.
		[]string{"step11"},
		map[string]Answer{
			"small quick":     {36855, "0970ecbf48d1183fda389da3adb4b73e"},
			"medium quick":    {51773, "4be48c47a273e41f836543aaf9d9f851"},
			"large quick":     {55148, "dd835f59219314c5eef0ff080dee7ead"},
			"small full":      {17007682, "5590ab9bdadd34069cce2e8bf4078e11"},
			"medium full":     {23079534, "308cc30bbbee1122b931d99202101a6b"},
			"large full":      {25242973, "a43398c2e1921ddff4a44c346756fab6"},
			"size=1x1":        {162, "f920085388deca5765c50dbe128609fe"},
			"size=33x17":      {4061, "72b0c21842642e14f39348544e8e1e97"},
			"size=17x33":      {1230, "bcae7614cb8e6be2b3e36ab9ee054b9b"},
			"one sphere":      {5099, "f046329b512ac4f75d67f6c20a96c4fe"},
			"empty sky":       {3072, "7cbed8f686eeee76c93741bd1d81bd92"},
			"one bounce":      {5104, "74c2fdd95573e749e0dca8998bb6b8c5"},
			"100,000 spheres": {204, "577dfee8b0919ab146bec63eab457aee"},
		},
	},
	{
		// Multiplications and additions are fused.
		[]string{"step12", "avx512", "archsimd"},
		map[string]Answer{
			"small quick":     {36855, "0970ecbf48d1183fda389da3adb4b73e"},
			"medium quick":    {51886, "13c6056b55258fe6e72e34cef5d1c347"},
			"large quick":     {54508, "95571d414ada21c1a6c58e7b5c07dab1"},
			"small full":      {17008340, "dea11672ba8561d46ef233263757da7e"},
			"medium full":     {23091188, "cebd17e456ce081ff5568dee92273ee7"},
			"large full":      {25242585, "54714054574bc111ef9fc8d9b00cdce1"},
			"size=1x1":        {162, "f920085388deca5765c50dbe128609fe"},
			"size=33x17":      {4171, "43e56ab732f2f134fe99ac583c632768"},
			"size=17x33":      {1230, "bcae7614cb8e6be2b3e36ab9ee054b9b"},
			"one sphere":      {5099, "f046329b512ac4f75d67f6c20a96c4fe"},
			"empty sky":       {3072, "7cbed8f686eeee76c93741bd1d81bd92"},
			"one bounce":      {5104, "74c2fdd95573e749e0dca8998bb6b8c5"},
			"100,000 spheres": {204, "577dfee8b0919ab146bec63eab457aee"},
		},
	},
	{
		// Random numbers start from the number of the tile.
		[]string{"step13", "tree"},
		map[string]Answer{
			"small quick":     {36737, "1d942a6c6ac33e43475695dac0a8e440"},
			"medium quick":    {51782, "2e0be9aeee9507482adb29c6e9c5407f"},
			"large quick":     {54316, "b93181c7ea51d7d396929b5214a72c8f"},
			"small full":      {17009536, "0682b43e2e44050843ad5d845971e78b"},
			"medium full":     {23085613, "b7527b343c0689ae9b087b71107d7a8e"},
			"large full":      {25248602, "984d0125aca843a300f7516491751383"},
			"size=1x1":        {158, "6e1e95dfb3fe368a610d3781570ac9bc"},
			"size=33x17":      {4110, "1eb74fb81091c644bf6bbf552262232c"},
			"size=17x33":      {1220, "1a84d05b6b91b0202190cb252b236676"},
			"one sphere":      {5099, "26384d88d92bff54097078ec1029d827"},
			"empty sky":       {3072, "15a79fbc4d5f3ac0c45bc0eed15357d8"},
			"one bounce":      {5100, "8dcfa2c5a1b7bfd60875d3f50f0bd5a3"},
			"100,000 spheres": {178, "f7ba541aef1df74a0b2f8cc10a342e50"},
		},
	},
	{
		// Random numbers start from the pixel and the sample, points in a ball
		// are found in another way, and colors are added as whole numbers.
		[]string{"wavefront"},
		map[string]Answer{
			"small quick":     {36818, "ba2732b74e263246e997c9f18619d928"},
			"medium quick":    {51651, "c137ae1e36e370d452d244d9a3cff8fe"},
			"large quick":     {54737, "c8dcf9361c7d123ef820f32d0b4d8bba"},
			"small full":      {17009971, "4b50067267e88d6ff158c1d74f8a8b92"},
			"medium full":     {23081248, "c15b58030c3aa79a45ccdbcb9acd7dbd"},
			"large full":      {25246436, "6fdc0703f982478f8a6cb1d59384a768"},
			"size=1x1":        {173, "3d329c84cbfa54bd9129da3d218ec222"},
			"size=33x17":      {4109, "21a1bb864970e7dbb323066813a7ad81"},
			"size=17x33":      {1217, "38c1a0958bd8f604b5bbcbf1f995535c"},
			"one sphere":      {5100, "cc17bad8325fbcaae1617666a5f8656b"},
			"empty sky":       {3072, "8e86b037ca284a4db6f6b7cd75c29d0a"},
			"one bounce":      {5102, "e5e0546cfe47b0b33a2e58baa786cec6"},
			"100,000 spheres": {185, "e9629e3be2d796ce99a5078db07bc0b7"},
		},
	},
}

// Of returns the known answer of a step, such as that of "step12" for "medium
// quick", and whether there is one.
func Of(step, name string) (Answer, bool) {
	for _, group := range groups {
		if slices.Contains(group.steps, step) {
			answer, ok := group.known[name]
			return answer, ok
		}
	}
	return Answer{}, false
}

// Rays returns the number of rays of a picture of 1280x720 with ten samples a
// pixel, and whether it is known.
func Rays(step, scene string) (int64, bool) {
	answer, ok := Of(step, scene+" full")
	return answer.Rays, ok
}

// kernels are those that the steps are about. A processor without their
// instructions, or a build without assembly, runs another kernel, and says so.
var kernels = map[string]string{
	"step10": "sse", "step11": "sse", "step12": "avx2", "step13": "avx2",
	"avx512": "avx512", "archsimd": "archsimd512", "wavefront": "avx512", "tree": "avx2",
}

// Kernel returns the name of the kernel that a step is about, or nothing if it
// is about none.
func Kernel(step string) string { return kernels[step] }
