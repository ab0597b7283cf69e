"use strict";

// What a reader says and measures stays in this browser: an object by name. What is damaged or
// forbidden is as if it were not there. What the browser does not take lasts as long as the page.
book.store = (() => {
	const unkept = {};
	const listeners = [];
	const object = value => (value && typeof value === "object" && !Array.isArray(value) ? value : {});

	function read(name) {
		if (name in unkept) return unkept[name];
		try {
			return object(JSON.parse(localStorage.getItem(name)));
		} catch {
			return {};
		}
	}

	// change reads anew, since another tab may have kept some, and reports whether it is kept.
	function change(name, how) {
		const value = read(name);
		how(value);
		let kept = true;
		try {
			localStorage.setItem(name, JSON.stringify(value));
			delete unkept[name];
		} catch {
			unkept[name] = value;
			kept = false;
		}
		listeners.forEach(call => call(name));
		return kept;
	}

	function forget(...names) {
		for (const name of names) {
			delete unkept[name];
			try {
				localStorage.removeItem(name);
			} catch {} // it has nothing
		}
		names.forEach(name => listeners.forEach(call => call(name)));
	}

	// answers are those that are right in form: a sign, and a number above 0. Of one that was
	// kept as a number alone the sign is unknown.
	function answers() {
		const all = {};
		for (const [key, a] of Object.entries(read("answers"))) {
			const value = typeof a === "number" ? a : object(a).value;
			const sign = ["faster", "same", "slower"].includes(object(a).sign) ? a.sign : null;
			if (Number.isFinite(value) && value > 0) all[key] = { sign, value };
		}
		return all;
	}

	// measured are the rows that are right in form.
	function measured() {
		const scenes = Object.entries(read("measured")).flatMap(([key, rows]) =>
			Object.values(object(rows)).map(row => [key, row]),
		);
		const text = v => typeof v === "string";
		const step = s => text(object(s).step) && Number.isFinite(s.rate) && s.rate > 0 && text(s.text);
		return scenes
			.filter(
				([, r]) =>
					text(object(r).scene) &&
					text(r.page) &&
					text(r.machine) &&
					text(r.takes) &&
					Array.isArray(r.steps) &&
					r.steps.length > 1 &&
					r.steps.every(step),
			)
			.map(([key, r]) => ({ ...r, key }));
	}

	window.addEventListener("storage", e => listeners.forEach(call => call(e.key)));
	return { read, change, forget, answers, measured, listen: call => listeners.push(call) };
})();
