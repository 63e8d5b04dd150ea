// SPDX-License-Identifier: BSD-2-Clause
// A browser gives no file to the search of a page that is itself a file: the page says what serves it.
if (location.protocol === "file:") {
	const note = document.createElement("span");
	note.className = "search-needs-server";
	note.textContent = "Search: python3 -m http.server --directory build/site";
	document.querySelector(".md-search").replaceWith(note);
	document.querySelector('label[for="__search"]').remove();
}
