// The page of results: looks up the words of its address in the index that it holds.
import { el, plural } from "../../runner/page/web/text.js";
import { load } from "./engine.js";

const MOST = 30, BEFORE = 60, LONG = 220;

// The part of TEXT around the first of the words that were found in it.
export function excerpt(text, words) {
    const lower = text.toLowerCase(), at = Math.min(...words.map(w => lower.indexOf(w.toLowerCase())).filter(i => i >= 0), text.length);
    const from = at === text.length ? 0 : Math.max(0, text.lastIndexOf(" ", Math.max(at - BEFORE, 0)) + 1);
    return `${from > 0 ? "… " : ""}${text.slice(from, from + LONG)}${from + LONG < text.length ? " …" : ""}`;
}

export function showResults(data) {
    const asked = (new URLSearchParams(location.search).get("q") || "").trim(), status = document.getElementById("found");
    if (!asked) return void (status.textContent = "Type words above.");
    document.querySelector("input[type=search]").value = asked;
    const found = load(data.textContent).search(asked);
    status.textContent = found.length ? `${plural(found.length, "section")} with “${asked}”${found.length > MOST ? `; the first ${MOST}` : ""}` : `Nothing has “${asked}”. Fewer words, or their beginnings, find more.`;
    document.getElementById("results").append(...found.slice(0, MOST).map(r =>
        el("li", {}, el("a", { href: r.to }, r.title), el("p", {}, excerpt(r.text, r.terms)))));
}
