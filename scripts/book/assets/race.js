"use strict";

// The race. A server sends frames of what steps render; without one, the frames are
// made here from the published speeds. Either way a frame is
// {lanes: [{share, seconds, rays, done, place, row, pixels}], end}.
(async () => {
	const { make, load } = book;
	const form = document.getElementById("race"), stopButton = document.getElementById("stop");
	const message = document.getElementById("message"), place = document.getElementById("lanes"), outcome = document.getElementById("outcome");
	const live = "live" in document.body.dataset;
	const boxes = [...form.querySelectorAll("[name=step]")];
	let info;
	try {
		info = await load("race");
	} catch (e) {
		message.textContent = e.message;
		return;
	}
	let running = null; // an AbortController

	// prepare follows a change of what is to run: before a race, its lanes show the
	// picture faintly, and what is published of each step.
	function prepare() {
		const chosen = boxes.filter(b => b.checked).map(b => b.value);
		boxes.forEach(b => { b.disabled = !b.checked && chosen.length >= 4; });
		form.querySelector("[type=submit]").disabled = chosen.length < 2;
		if (running) return;
		const scene = info.Scenes[form.scene.value], work = form.width.value ** 2 * 9 / 16 * form.samples.value / (1280 * 720 * 10);
		const picture = new Image();
		const lanes = chosen.map(name => newLane(name, 640, 360));
		for (const l of lanes) {
			const seconds = scene.Seconds[l.step.Name];
			if (seconds) l.clock.textContent = time(seconds * work), l.speed.textContent = rate(scene.Rays[l.step.Name] / seconds);
		}
		picture.onload = () => lanes.forEach(l => { l.context.globalAlpha = 0.35; l.context.drawImage(picture, 0, 0, 640, 360); });
		picture.src = `docs/pictures/${form.scene.value}.png`;
		place.replaceChildren(...lanes.map(l => l.box));
		outcome.replaceChildren();
		message.textContent = "Times and speeds are the published ones until the race starts.";
	}
	for (const name of ["step01", "step06", "step12", "step13"]) boxes.find(b => b.value === name).checked = true;
	stopButton.onclick = () => running?.abort();
	window.addEventListener("pagehide", () => running?.abort());

	const rate = v => v >= 1e6 ? (v / 1e6).toFixed(v >= 1e8 ? 0 : v >= 1e7 ? 1 : 2) + " M" : Math.round(v / 1e3) + " k";
	const time = s => s >= 10 ? s.toFixed(1) + " s" : s >= 1 ? s.toFixed(2) + " s" : (1000 * s).toFixed(s < 0.1 ? 1 : 0) + " ms";

	function newLane(name, width, height) {
		const step = info.Steps.find(s => s.Name === name);
		const canvas = make("canvas", { width, height, role: "img", "aria-label": "the picture of " + step.Title });
		const value = title => {
			const dd = make("dd", {}, "–");
			return [dd, make("dt", {}, title)];
		};
		const [speed, t1] = value("rays a second"), [share, t2] = value("done"), [clock, t3] = value("time");
		const progress = make("progress", { max: 1, value: 0, "aria-label": "done" });
		const box = make("section", { class: "lane" }, make("h3", {}, make("span", {}, `${step.Title}: ${step.Label}`)), canvas, progress,
			make("dl", {}, t2, share, t3, clock, t1, speed));
		return { step, box, canvas, context: canvas.getContext("2d"), speed, share, clock, progress, last: null };
	}

	function show(lane, f) {
		lane.last = { ...f, pixels: null };
		lane.progress.value = f.share;
		lane.share.textContent = Math.floor(100 * f.share) + " %";
		lane.clock.textContent = time(f.seconds);
		if (f.seconds > 0 && f.share > 0) lane.speed.textContent = (f.done ? "" : "about ") + rate(f.rays / f.seconds);
		lane.box.classList.toggle("first", f.place === 1);
		if (f.pixels) paint(lane, f);
	}

	// paint puts whole rows of red, green and blue into the picture.
	function paint(lane, f) {
		const rgb = atob(f.pixels), width = lane.canvas.width, rows = rgb.length / 3 / width;
		const image = lane.context.createImageData(width, rows);
		for (let i = 0, j = 0; i < rgb.length; i += 3, j += 4) {
			image.data[j] = rgb.charCodeAt(i);
			image.data[j + 1] = rgb.charCodeAt(i + 1);
			image.data[j + 2] = rgb.charCodeAt(i + 2);
			image.data[j + 3] = 255;
		}
		lane.context.putImageData(image, 0, f.row);
	}

	form.onsubmit = async e => {
		e.preventDefault();
		running?.abort();
		const mine = running = new AbortController();
		const asked = {
			scene: form.scene.value, steps: boxes.filter(b => b.checked).map(b => b.value),
			width: +form.width.value, samples: +form.samples.value, workers: +(form.workers?.value || 1),
		};
		const lanes = asked.steps.map(name => newLane(name, asked.width, asked.width * 9 / 16));
		place.replaceChildren(...lanes.map(l => l.box));
		outcome.replaceChildren();
		message.textContent = live ? "Running." : "Replaying.";
		stopButton.disabled = false;
		let ended = false;
		try {
			for await (const f of (live ? fromServer : replay)(asked, lanes, mine.signal)) {
				f.lanes.forEach((lane, i) => show(lanes[i], lane));
				ended ||= f.end;
			}
			if (!ended) throw new Error("the connection was cut");
			message.textContent = "Finished.";
			summary(asked, lanes);
		} catch (error) {
			if (running === mine) message.textContent = mine.signal.aborted ? "Stopped." : "Stopped: " + error.message;
		}
		if (running === mine) {
			running = null;
			stopButton.disabled = true;
		}
	};

	form.onchange = prepare;
	prepare();

	async function* fromServer(asked, lanes, signal) {
		const answer = await fetch("race", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked), signal });
		if (!answer.ok) throw new Error(await answer.text());
		const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
		let text = "";
		for (;;) {
			const { value, done } = await reader.read();
			if (done) return;
			const events = (text + value).split("\n\n");
			text = events.pop();
			for (const event of events) yield JSON.parse(event.slice("data: ".length));
		}
	}

	// replay lets the steps run at the published speeds, and uncovers a picture
	// that one of them has rendered.
	async function* replay(asked, lanes, signal) {
		const scene = info.Scenes[asked.scene], work = asked.width * asked.width * 9 / 16 * asked.samples / (1280 * 720 * 10);
		const unknown = lanes.find(l => !scene.Seconds[l.step.Name]);
		if (unknown) throw new Error(`no published measurement of ${unknown.step.Title}`);
		const picture = new Image();
		picture.src = `docs/pictures/${asked.scene}.png`;
		await picture.decode();
		const p = scene.Profile, whole = p[p.length - 1];
		// below is the share of the rays below a row, and row the other way around.
		const below = at => {
			const i = Math.min(Math.floor(at * (p.length - 1)), p.length - 2);
			return (p[i] + (at * (p.length - 1) - i) * (p[i + 1] - p[i])) / whole;
		};
		const row = share => {
			let lo = 0, hi = 1;
			for (let i = 0; i < 30; i++) below((lo + hi) / 2) < share ? lo = (lo + hi) / 2 : hi = (lo + hi) / 2;
			return lo;
		};
		const order = lanes.map(l => scene.Seconds[l.step.Name]).sort((a, b) => a - b);
		const start = performance.now();
		for (let end = false; !end;) {
			await new Promise(requestAnimationFrame);
			if (signal.aborted) throw new Error("stopped");
			const now = (performance.now() - start) / 1000;
			const frame = { lanes: [], end: false };
			for (const l of lanes) {
				const seconds = scene.Seconds[l.step.Name] * work, traced = Math.min(1, now / seconds), done = traced === 1;
				const share = done ? 1 : l.step.Single ? 1 - row(1 - traced) : row(traced);
				const { width, height } = l.canvas, rows = Math.round(share * height), from = l.step.Single ? 0 : height - rows;
				if (rows) l.context.drawImage(picture, 0, from * picture.height / height, picture.width, rows * picture.height / height, 0, from, width, rows);
				frame.lanes.push({ share, seconds: Math.min(now, seconds), rays: traced * scene.Rays[l.step.Name] * work, done,
					place: done ? order.indexOf(scene.Seconds[l.step.Name]) + 1 : 0 });
			}
			end = frame.end = frame.lanes.every(l => l.done);
			yield frame;
		}
	}

	// summary says how many times as fast each was as the slowest, and what the
	// published table says.
	function summary(asked, lanes) {
		const sorted = [...lanes].sort((a, b) => b.last.seconds - a.last.seconds), slowest = sorted[0];
		const speed = l => l.last.rays / l.last.seconds;
		const ratios = info.Scenes[asked.scene].Ratios;
		const names = info.Steps.map(s => s.Name);
		const published = l => {
			if (l === slowest) return "";
			const pair = [slowest.step.Name, l.step.Name];
			const backward = names.indexOf(pair[0]) > names.indexOf(pair[1]);
			const text = ratios[backward ? pair.reverse().join() : pair.join()];
			return !text ? "not measured" : backward ? `the other way around: ${text}` : text;
		};
		const cell = (text, tag = "td") => make(tag, { align: "right" }, text);
		outcome.replaceChildren(make("h2", {}, "Outcome"), make("div", { class: "table" }, make("table", {},
			make("thead", {}, make("tr", {}, make("th", {}, "step"), ...["time", "rays", "rays a second", `over ${slowest.step.Title}`, "the same, published"].map(t => cell(t, "th")))),
			make("tbody", {}, ...sorted.map(l => make("tr", {}, make("td", {}, `${l.step.Title}: ${l.step.Label}`),
				cell(time(l.last.seconds)), cell(Math.round(l.last.rays).toLocaleString("en")), cell(rate(speed(l))),
				cell(l === slowest ? "" : (speed(l) / speed(slowest)).toFixed(3)), cell(published(l))))))),
			make("p", { class: "note" }, info.Credit ? "Published: " + info.Credit + ", the " + asked.scene + " scene; steps with workers use all cores there." : "Nothing is published."));
	}
})();
