"use strict";

// The race: by the code of the steps, in this tab. What a page shows is of the race that was run,
// whatever the form says by now.
(async () => {
	const { make, tab } = book;
	const place = document.getElementById("race");
	if (!place) return;
	const [form, stop, message, left, lanesPlace, outcome, pathPlace] = [
		"form",
		".stop",
		".message",
		".left",
		".lanes",
		".outcome",
		".path",
	].map(s => place.querySelector(s));
	const boxes = [...form.querySelectorAll("[name=step]")],
		start = form.querySelector("[type=submit]");
	const still = matchMedia("(prefers-reduced-motion: reduce)").matches; // pictures appear when they are done
	const sizes = { quick: [80, 60], race: [640, 360], full: [1280, 720] };
	let info,
		takes = "plain",
		running = null,
		lanes = []; // running is an AbortController
	try {
		({ info, takes } = await tab.about());
	} catch (e) {
		message.textContent = e.message; // and the picture stays
		return;
	}
	if (!boxes.some(b => b.checked)) {
		// a browser may remember others, on the way back
		for (const name of ["step01", "step06", "step09", "step10"])
			boxes.find(b => b.value === name).checked = true;
	}
	form.hidden = false;
	message.textContent =
		takes === "simd128"
			? "Your browser runs the steps' own code; Race loads 1 MB. Step 10 takes four spheres at a time (SIMD128)."
			: "Your browser runs the steps' own code; Race loads 1 MB. It is without SIMD: steps 10 and 11 are plain Go here.";

	const time = s =>
		s >= 10 ? s.toFixed(1) + " s" : s >= 1 ? s.toFixed(2) + " s" : (1000 * s).toFixed(0) + " ms";
	const title = name =>
		info.Steps[name] + (takes === "plain" && /step1[01]/.test(name) ? ", plain Go" : "");
	const chosen = () => boxes.filter(b => b.checked).map(b => b.value);

	// limit follows a change of the form, which changes nothing else: two to four steps.
	function limit() {
		const n = chosen().length;
		boxes.forEach(b => {
			b.disabled = !!running || (!b.checked && n >= 4);
		});
		[form.scene, form.size].forEach(s => {
			s.disabled = !!running;
		});
		start.disabled = !!running || n < 2;
		stop.disabled = !running;
	}

	function newLane(name, scene, [width, height]) {
		const canvas = make("canvas", {
			width,
			height,
			tabindex: 0,
			role: "img",
			"aria-label": `the picture of ${info.Steps[name]}; Enter or a click follows the ray of a pixel, which the arrow keys choose`,
		});
		const clock = make("output", {}),
			progress = make("progress", { max: 1, value: 0, "aria-label": "done" });
		const verdict = make("p", { class: "verdict" }, " "),
			cross = make("i", { class: "cross", hidden: true });
		const box = make(
			"section",
			{ class: "lane" },
			make("h3", {}, make("span", {}, title(name)), clock),
			make("div", { class: "canvas" }, canvas, cross),
			progress,
			verdict,
		);
		const lane = {
			name,
			scene,
			box,
			canvas,
			context: canvas.getContext("2d"),
			clock,
			progress,
			verdict,
			cross,
			waiting: [],
			share: 0,
			seconds: 0,
			at: [Math.round(0.47 * width), Math.round(0.55 * height)],
		};
		canvas.onclick = e => {
			const r = canvas.getBoundingClientRect(),
				inside = [
					((e.clientX - r.left) / r.width) * width,
					((e.clientY - r.top) / r.height) * height,
				];
			lane.at = inside.map((v, i) => Math.max(0, Math.min([width, height][i] - 1, Math.floor(v))));
			follow(lane);
		};
		canvas.onkeydown = e => steer(lane, e);
		return lane;
	}

	function steer(lane, e) {
		const { width, height } = lane.canvas,
			by = ((e.shiftKey ? 1 : 10) * width) / 640;
		const move = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by] }[
			e.key
		];
		if (e.key !== "Enter" && !move) return;
		e.preventDefault();
		if (!move) return follow(lane);
		lane.at = lane.at.map((v, i) =>
			Math.max(0, Math.min([width, height][i] - 1, Math.round(v + move[i]))),
		);
		mark(lane);
	}

	function mark(lane) {
		for (const l of lanes) l.cross.hidden = l !== lane;
		lane.cross.style.left = (100 * (lane.at[0] + 0.5)) / lane.canvas.width + "%";
		lane.cross.style.top = (100 * (lane.at[1] + 0.5)) / lane.canvas.height + "%";
	}

	async function follow(lane) {
		if (running) return;
		mark(lane);
		try {
			await book.path(pathPlace, lane);
		} catch (e) {
			message.textContent = e.message;
			message.scrollIntoView({ block: "nearest" });
		}
	}

	// take shows what a message says of a lane.
	function take(asked, m) {
		const lane = lanes[m.lane];
		Object.assign(lane, { share: m.share, seconds: m.seconds });
		lane.progress.value = m.share;
		lane.clock.textContent = time(m.seconds);
		if (m.pixels) lane.waiting.push(m);
		if (!still || m.md5) {
			for (const { pixels, row } of lane.waiting.splice(0)) {
				lane.context.putImageData(new ImageData(pixels, lane.canvas.width), 0, row);
			}
		}
		const more = lanes.reduce((sum, l) => sum + (l.share ? l.seconds / l.share : 0) - l.seconds, 0);
		left.textContent = lanes.every(l => l.share) ? `About ${time(Math.max(0, more))} to go.` : "";
		if (!m.md5) return;
		const known = info.Known[lane.name][`${asked.scene} ${asked.size}`];
		lane.same = m.md5 === known.md5 && m.rays === known.rays;
		lane.rays = m.rays;
		lane.share = 1;
		lane.verdict.textContent = lane.same
			? "the same bytes as everywhere"
			: `other bytes: ${m.md5}, not ${known.md5}`;
		lane.verdict.title = `${m.rays.toLocaleString("en")} rays, MD5 ${m.md5}`;
		lane.box.classList.toggle("first", !lanes.some(l => l !== lane && l.rays));
	}

	form.onsubmit = async e => {
		e.preventDefault();
		if (running) return;
		const mine = (running = new AbortController());
		const asked = { do: "race", scene: form.scene.value, size: form.size.value, steps: chosen() };
		limit();
		lanes = asked.steps.map(name => newLane(name, asked.scene, sizes[asked.size]));
		lanesPlace.replaceChildren(...lanes.map(l => l.box));
		outcome.replaceChildren();
		pathPlace.replaceChildren();
		message.textContent = "Running: they take turns, and each has a clock of its own.";
		try {
			await tab.run(asked, mine.signal, m => take(asked, m));
			message.textContent = "Finished. Click a pixel to follow its ray.";
			summary(asked);
		} catch (error) {
			message.textContent = mine.signal.aborted ? "Stopped." : "Stopped: " + error.message;
		}
		left.textContent = "";
		running = null;
		limit();
	};
	stop.onclick = () => running?.abort();
	form.onchange = limit;
	limit();

	// summary says how many times as fast each was as the slowest.
	function summary(asked) {
		const speed = l => l.rays / l.seconds,
			sorted = [...lanes].sort((a, b) => speed(a) - speed(b));
		const cell = (text, tag = "td") => make(tag, { align: "right" }, text);
		const head = ["time", "rays", "rays/s", `over ${info.Steps[sorted[0].name]}`, "bytes"];
		const row = l =>
			make(
				"tr",
				{ class: "mine" },
				make("td", {}, title(l.name)),
				cell(time(l.seconds)),
				cell(l.rays.toLocaleString("en")),
				cell(tab.rate(speed(l))),
				cell(l === sorted[0] ? "" : (speed(l) / speed(sorted[0])).toFixed(2)),
				cell(l.same ? "the same" : "other"),
			);
		outcome.replaceChildren(
			make(
				"div",
				{ class: "table", tabindex: 0 },
				make(
					"table",
					{},
					make(
						"thead",
						{},
						make("tr", {}, make("th", {}, "step"), ...head.map(t => cell(t, "th"))),
					),
					make("tbody", {}, ...sorted.map(row)),
				),
			),
			make(
				"p",
				{ class: "note" },
				`Your browser (${tab.machine()}), the ${asked.scene} scene, one picture each. ` +
					"A race has no interval: the chapters measure one.",
			),
		);
	}
})();
