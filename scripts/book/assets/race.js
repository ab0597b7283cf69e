"use strict";

// The race, and the path behind a pixel: by the code of the steps, in this tab.
(async () => {
	const { make, tab } = book;
	const place = document.getElementById("race");
	if (!place) return;
	const form = place.querySelector("form"), stopButton = place.querySelector(".stop"), message = place.querySelector(".message");
	const lanesPlace = place.querySelector(".lanes"), outcome = place.querySelector(".outcome"), pathPlace = place.querySelector(".path");
	const boxes = [...form.querySelectorAll("[name=step]")], root = document.body.dataset.root;
	const still = matchMedia("(prefers-reduced-motion: reduce)").matches; // pictures appear when they are done
	const sizes = { quick: [80, 60], race: [640, 360], full: [1280, 720] };
	let program;
	try {
		program = await tab.prepare();
		await tab.warm();
	} catch (e) {
		message.textContent = e.message; // and the picture stays
		return;
	}
	const { info, takes } = program;
	if (!boxes.some(b => b.checked)) { // a browser may remember others, on the way back
		for (const name of ["step01", "step06", "step09", "step10"]) boxes.find(b => b.value === name).checked = true;
	}
	form.hidden = false;
	let running = null; // an AbortController
	let lanes = [];

	const time = s => s >= 10 ? s.toFixed(1) + " s" : s >= 1 ? s.toFixed(2) + " s" : (1000 * s).toFixed(0) + " ms";
	const title = name => info.Steps[name] + (takes === "plain" && /step1[01]/.test(name) ? ", plain Go" : "");

	function newLane(name, [width, height]) {
		const canvas = make("canvas", { width, height, tabindex: 0, role: "img",
			"aria-label": `the picture of ${info.Steps[name]}; Enter or a click follows the ray of a pixel, which the arrow keys choose` });
		const clock = make("output", {}, ""), progress = make("progress", { max: 1, value: 0, "aria-label": "done" }), verdict = make("p", { class: "verdict" }, " ");
		const cross = make("i", { class: "cross", hidden: true });
		const box = make("section", { class: "lane" }, make("h3", {}, make("span", {}, title(name)), clock), make("div", { class: "canvas" }, canvas, cross), progress, verdict);
		const lane = { name, box, canvas, context: canvas.getContext("2d"), clock, progress, verdict, cross, waiting: [], at: [Math.round(0.47 * width), Math.round(0.55 * height)] };
		canvas.onclick = e => {
			const r = canvas.getBoundingClientRect();
			lane.at = [(e.clientX - r.left) / r.width * width, (e.clientY - r.top) / r.height * height].map(Math.floor);
			follow(lane);
		};
		canvas.onkeydown = e => {
			const by = (e.shiftKey ? 1 : 10) * width / 640, move = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[e.key];
			if (e.key !== "Enter" && !move) return;
			e.preventDefault();
			if (!move) return follow(lane);
			lane.at = lane.at.map((v, i) => Math.max(0, Math.min([width, height][i] - 1, Math.round(v + move[i]))));
			mark(lane);
		};
		return lane;
	}

	function mark(lane) {
		for (const l of lanes) l.cross.hidden = l !== lane;
		lane.cross.style.left = 100 * (lane.at[0] + 0.5) / lane.canvas.width + "%";
		lane.cross.style.top = 100 * (lane.at[1] + 0.5) / lane.canvas.height + "%";
	}

	// prepare follows a change of what is to run: lanes show the picture faintly.
	function prepare() {
		const chosen = boxes.filter(b => b.checked).map(b => b.value);
		boxes.forEach(b => { b.disabled = !b.checked && chosen.length >= 4; });
		form.querySelector("[type=submit]").disabled = chosen.length < 2;
		if (running) return;
		lanes = chosen.map(name => newLane(name, sizes[form.size.value]));
		const picture = new Image(), shown = lanes;
		picture.onload = () => shown.forEach(l => { l.context.globalAlpha = 0.35; l.context.drawImage(picture, 0, 0, l.canvas.width, l.canvas.height); });
		picture.src = `${root}docs/pictures/${form.scene.value}.png`;
		lanesPlace.replaceChildren(...lanes.map(l => l.box));
		outcome.replaceChildren();
		pathPlace.replaceChildren();
		message.textContent = takes === "simd128" ? "The steps' own code, in your browser. Step 10 takes four spheres at a time (SIMD128)."
			: "The steps' own code, in your browser, without SIMD: steps 10 and 11 are plain Go here.";
	}

	function paint(lane, { pixels, row }) {
		lane.context.putImageData(new ImageData(pixels, lane.canvas.width), 0, row);
	}

	form.onsubmit = async e => {
		e.preventDefault();
		if (running) return;
		const mine = running = new AbortController();
		const asked = { do: "race", scene: form.scene.value, size: form.size.value, steps: boxes.filter(b => b.checked).map(b => b.value) };
		lanes = asked.steps.map(name => newLane(name, sizes[asked.size]));
		lanesPlace.replaceChildren(...lanes.map(l => l.box));
		outcome.replaceChildren();
		pathPlace.replaceChildren();
		message.textContent = "Running: they take turns, and each has a clock of its own.";
		stopButton.disabled = false;
		form.querySelector("[type=submit]").disabled = true;
		let finished = 0;
		try {
			await tab.run(asked, mine.signal, m => {
				const lane = lanes[m.lane];
				lane.progress.value = m.share;
				lane.clock.textContent = time(m.seconds);
				if (m.pixels) lane.waiting.push(m);
				if (!still || m.md5) lane.waiting.splice(0).forEach(part => paint(lane, part));
				if (!m.md5) return;
				const known = info.Known[lane.name][`${asked.scene} ${asked.size}`];
				lane.same = m.md5 === known.md5 && m.rays === known.rays;
				lane.rays = m.rays;
				lane.seconds = m.seconds;
				lane.verdict.textContent = lane.same ? "the same bytes as everywhere" : `other bytes: ${m.md5}, not ${known.md5}`;
				lane.verdict.title = `${m.rays.toLocaleString("en")} rays, MD5 ${m.md5}`;
				lane.box.classList.toggle("first", !finished++);
			});
			message.textContent = "Finished. Click a pixel to follow its ray.";
			summary(asked);
		} catch (error) {
			message.textContent = mine.signal.aborted ? "Stopped." : "Stopped: " + error.message;
			if (mine.signal.aborted) tab.warm();
		}
		running = null;
		stopButton.disabled = true;
		form.querySelector("[type=submit]").disabled = false;
	};
	stopButton.onclick = () => running?.abort();
	form.onchange = prepare;
	prepare();

	// summary says how many times as fast each was as the slowest.
	function summary(asked) {
		const speed = l => l.rays / l.seconds, sorted = [...lanes].sort((a, b) => speed(a) - speed(b));
		const cell = (text, tag = "td") => make(tag, { align: "right" }, text);
		outcome.replaceChildren(make("div", { class: "table", tabindex: 0 }, make("table", {},
			make("thead", {}, make("tr", {}, make("th", {}, "step"), ...["time", "rays", "rays/s", `over ${info.Steps[sorted[0].name]}`, "bytes"].map(t => cell(t, "th")))),
			make("tbody", {}, ...sorted.map(l => make("tr", { class: "mine" }, make("td", {}, title(l.name)), cell(time(l.seconds)), cell(l.rays.toLocaleString("en")),
				cell(tab.rate(speed(l))), cell(l === sorted[0] ? "" : (speed(l) / speed(sorted[0])).toFixed(2)), cell(l.same ? "the same" : "other")))))),
			make("p", { class: "note" }, `Your browser (${tab.machine()}), the ${asked.scene} scene, one picture each. A race has no interval: the chapters measure one.`));
	}

	// follow shows the path of a ray through a pixel from above, and what it costs.
	async function follow(lane) {
		if (running) return;
		mark(lane);
		let answer;
		try {
			await tab.run({ do: "path", scene: form.scene.value, steps: [], x: lane.at[0], y: lane.at[1], width: lane.canvas.width, height: lane.canvas.height }, null, m => { answer = m; });
		} catch (e) {
			message.textContent = e.message;
			return;
		}
		const { spheres, path } = answer, small = spheres.filter(s => s[3] < 100);
		// From above: x to the right, z downward.
		const points = [...path.map(p => p.from), path.at(-1).to], inView = [...small.map(s => [s[0], 0, s[2]]), path[0].from];
		const [x0, x1, z0, z1] = [Math.min(...inView.map(p => p[0])) - 1, Math.max(...inView.map(p => p[0])) + 1, Math.min(...inView.map(p => p[2])) - 1, Math.max(...inView.map(p => p[2])) + 1];
		const met = new Set(path.map(p => p.sphere));
		const svg = make("svg", { viewBox: `${x0} ${z0} ${x1 - x0} ${z1 - z0}`, role: "img", "aria-label": `The scene from above: the ray goes from the camera through ${path.length} segments, which the table lists` });
		spheres.forEach((s, i) => { if (s[3] < 100) svg.append(make("circle", { cx: s[0], cy: s[2], r: Math.abs(s[3]), class: met.has(i) ? "met" : "" })); });
		svg.append(make("path", { d: "M" + points.map(p => `${p[0]},${p[2]}`).join("L"), fill: "none" }), make("circle", { class: "eye", cx: points[0][0], cy: points[0][2], r: (x1 - x0) / 90 }));
		const cell = (text, tag = "td") => make(tag, { align: "right" }, text);
		const name = p => ({ lambertian: "matte", metal: "metal", dielectric: "glass", sky: "the sky" })[p.hit] + (p.sphere >= 0 && spheres[p.sphere][3] >= 100 ? ", the ground" : "");
		const row = (first, meets, list) => {
			const sum = f => list.reduce((a, p) => a + f(p), 0).toLocaleString("en");
			return make("tr", {}, cell(first), make("td", {}, meets), cell(sum(p => p.tests)), cell(`${sum(p => p.tests)}, ${sum(p => p.positive)}`), cell(`${sum(p => 16 * p.nodes)}, ${sum(p => 16 * p.groups)}`));
		};
		pathPlace.replaceChildren(make("h3", {}, `The ray of pixel ${lane.at.join(", ")}`), make("div", { class: "above" }, svg,
			make("div", { class: "table", tabindex: 0 }, make("table", {},
				make("thead", {}, make("tr", {}, cell("ray", "th"), make("th", {}, "meets"), ...["steps 1 to 5: tests", "6 to 11: discriminants, second pass", "tree: boxes, spheres"].map(t => cell(t, "th")))),
				make("tbody", {}, ...path.map((p, i) => row(i + 1, name(p), [p])), path.length > 1 ? row("all", "", path) : "")))),
			make("p", { class: "note" }, "From above, with the camera as a dot. Counted while the code ran: calls of Sphere.Hit in step 1, discriminants of step 6 and those that are positive, and what the tree visits, sixteen at a time, besides its largest spheres."));
	}
})();
