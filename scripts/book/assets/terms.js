"use strict";

// Words of the glossary: where a page first uses one, what it means shows on hover, tap and focus.
(async () => {
	const { make, load } = book;
	const main = document.getElementById("main"),
		root = document.body.dataset.root;
	const all = await load("terms").catch(() => []); // words stay words
	const forms = new Map(); // what is written, by its lower case
	for (const term of all) for (const name of term.Names) forms.set(name.toLowerCase(), { term, name });
	if (!forms.size) return;
	const names = [...forms.keys()]
		.sort((a, b) => b.length - a.length)
		.map(n => n.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	const pattern = new RegExp(
		`(?<![\\p{L}\\p{N}_-])(${names.join("|")})(?:e?s)?(?![\\p{L}\\p{N}_-])`,
		"giu",
	);
	const not =
		"a, code, pre, button, summary, label, th, form, h1, h2, h3, h4, .live, .controls, .measure, .veil, .under, .place, .predict";

	const met = new Set();
	// Names such as SIMD are so written; others may begin a sentence.
	const meant = m =>
		!/[A-Z]{2}/.test(forms.get(m[1].toLowerCase()).name) || m[1] === forms.get(m[1].toLowerCase()).name;
	function mark(node) {
		for (const m of node.data.matchAll(pattern)) {
			const { term } = forms.get(m[1].toLowerCase());
			if (met.has(term) || !meant(m)) continue;
			met.add(term);
			const word = node.splitText(m.index),
				rest = word.splitText(m[0].length);
			const span = make("span", {
				class: "term",
				tabindex: 0,
				role: "button",
				"aria-expanded": "false",
			});
			word.replaceWith(span);
			span.append(word);
			span.term = term;
			mark(rest);
			return;
		}
	}
	const walk = document.createTreeWalker(main, NodeFilter.SHOW_TEXT),
		nodes = [];
	while (walk.nextNode()) {
		const parent = walk.currentNode.parentElement;
		if (parent.closest("p, li, td") && !parent.closest(not)) nodes.push(walk.currentNode);
	}
	nodes.forEach(mark);

	const box = make("span", { class: "meaning", role: "note", id: "meaning" });
	let open = null,
		leaving = 0;
	function hide() {
		open?.setAttribute("aria-expanded", "false");
		open?.removeAttribute("aria-describedby");
		box.remove();
		open = null;
	}
	function show(span) {
		clearTimeout(leaving);
		if (open === span) return;
		hide();
		open = span;
		box.innerHTML = span.term.Meaning.replace(/^<p>|<\/p>$/g, ""); // made by the book from its glossary
		for (const a of box.querySelectorAll("a")) {
			const href = a.getAttribute("href");
			if (!/^[a-z]+:/.test(href)) a.setAttribute("href", root + href);
		}
		span.after(box);
		span.setAttribute("aria-expanded", "true");
		span.setAttribute("aria-describedby", "meaning");
		const at = span.getBoundingClientRect(),
			within = main.getBoundingClientRect();
		const room = Math.min(innerWidth, within.right) - box.offsetWidth - 12;
		box.style.left = Math.max(12, Math.min(at.left, room)) - within.left + "px";
		box.style.top = at.bottom - within.top + 4 + "px";
	}
	const of = e => e.target.closest?.(".term");
	const later = () => {
		clearTimeout(leaving);
		leaving = setTimeout(hide, 250);
	};
	main.addEventListener("pointerover", e =>
		of(e) ? show(of(e)) : box.contains(e.target) ? clearTimeout(leaving) : open && later(),
	);
	main.addEventListener("focusin", e => (of(e) ? show(of(e)) : box.contains(e.target) || hide()));
	document.addEventListener("click", e => (of(e) ? show(of(e)) : box.contains(e.target) || hide()));
	document.addEventListener("keydown", e => {
		if (e.key === "Escape" && open) hide();
		else if ((e.key === "Enter" || e.key === " ") && of(e)) {
			e.preventDefault();
			open === of(e) ? hide() : show(of(e));
		}
	});
})();
