"use strict";

// The search of all pages. What a page veils, because its question has no answer yet, is not
// found.
(() => {
	const { make, load, store } = book;
	const input = document.getElementById("search"),
		found = document.getElementById("found");
	let sections = null;
	const close = () => {
		found.hidden = true;
	};

	// A word in the title is worth more than one in the text, and several in a text no more
	// than ten of them.
	function score(section, words) {
		let sum = 0;
		for (const w of words) {
			const inText = Math.min(10, section.text.split(w).length - 1),
				inTitle = section.title.includes(w);
			if (!inText && !inTitle) return 0;
			sum += inText + (inTitle ? 20 : 0);
		}
		return sum;
	}

	function excerpt(s, words) {
		const at =
			Math.max(
				0,
				...words
					.map(w => s.text.indexOf(w))
					.filter(i => i >= 0)
					.slice(0, 1),
			) || 0;
		const from = Math.max(0, at - 60),
			small = make("small", {}, from ? "… " : "");
		const word = new RegExp(
			"(" + words.map(w => w.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|") + ")",
			"i",
		);
		s.x
			.slice(from, from + 200)
			.split(word)
			.forEach((part, i) => small.append(i % 2 ? make("mark", {}, part) : part));
		return small;
	}

	async function look() {
		const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
		if (!words.length) return close();
		try {
			sections ??= (await load("search")).map(s => ({
				...s,
				title: s.t.toLowerCase(),
				text: s.x.toLowerCase(),
			}));
		} catch (e) {
			found.replaceChildren(make("p", {}, e.message));
			found.hidden = false;
			return;
		}
		const answers = store.answers(),
			shown = store.read("shown");
		const veiled = s => !shown[s.p] && s.q?.some(key => !(key in answers));
		const all = sections.map(s => [score(s, words), s]).filter(([n]) => n);
		const hits = all
			.filter(([, s]) => !veiled(s))
			.sort((a, b) => b[0] - a[0])
			.slice(0, 30);
		found.replaceChildren(
			...hits.map(([, s]) =>
				make(
					"a",
					{ href: document.body.dataset.root + s.p + (s.a ? "#" + s.a : "") },
					make("b", {}, s.t),
					excerpt(s, words),
				),
			),
		);
		const passed = all.filter(([, s]) => veiled(s)).length;
		if (passed) found.append(make("p", {}, `${passed} more in what is veiled until you have guessed.`));
		else if (!hits.length) found.append(make("p", {}, "Nothing found with all of these words."));
		found.hidden = false;
	}

	input.addEventListener("input", look);
	input.addEventListener("focus", look);
	document.addEventListener("click", e => {
		if (!e.target.closest(".search")) close();
	});
	document.addEventListener("keydown", e => {
		const all = [...found.querySelectorAll("a")],
			at = all.indexOf(document.activeElement);
		if (e.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(document.activeElement.tagName)) {
			e.preventDefault();
			input.focus();
			input.select();
		} else if (e.key === "Escape" && !found.hidden) {
			close();
			input.blur();
		} else if (e.key === "ArrowDown" && !found.hidden && (at >= 0 || document.activeElement === input)) {
			e.preventDefault();
			(all[at + 1] || all[at])?.focus();
		} else if (e.key === "ArrowUp" && at >= 0) {
			e.preventDefault();
			(all[at - 1] || input).focus();
		} else if (e.key === "Enter" && document.activeElement === input) {
			all[0]?.click();
		}
	});
})();
