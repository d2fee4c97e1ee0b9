// Questions that are answered on the page. What was answered stays in this browser: localStorage, nothing is sent.
import { el } from "../../runner/page/web/text.js";

const TRIES = 3, PREFIX = "warpbook/";

function store(key, value) {
    try { localStorage.setItem(PREFIX + key, value); } catch { /* a browser that keeps nothing: the page works */ }
}
export function stored(key) {
    try { return localStorage.getItem(PREFIX + key); } catch { return null; }
}

// As quiz_is_right of the workbook: a letter, a number within 1 %, or one in a range.
export function isRight(answer, said) {
    const range = answer.split("..").map(Number), text = said.trim().toLowerCase();
    if (/^[a-z]$/.test(answer)) return text.replace(")", "") === answer;
    const number = Number(text.replace(",", "."));
    if (text === "" || !Number.isFinite(number)) return false;
    return range.length === 2 ? number >= range[0] && number <= range[1] : Math.abs(number - range[0]) <= 0.01 * Math.abs(range[0]);
}

export function makeForm(details) {
    const { key, answer, unit } = details.dataset, isPrediction = key.includes("/predict/"), letter = /^[a-z]$/.test(answer);
    const says = el("p.verdict", { role: "status" });
    const choices = letter ? [...details.closest("li").querySelectorAll("li.choice")].map((c, i) => String.fromCharCode(97 + i)) : [];
    const input = letter ? el("span.choices", { role: "group", "aria-label": "Your answer" }, choices.map(c => el("button", { type: "submit", value: c }, c)))
        : el("label", {}, `${isPrediction ? "Your number" : "Your answer"}${unit ? ` (${unit})` : ""} `, el("input", { type: "text", inputmode: "decimal", size: "8", autocomplete: "off" }));
    const form = el("form.answer", {}, input, letter ? null : el("button", { type: "submit" }, isPrediction ? "Predict" : "Answer"), says);
    let tries = 0;
    const judge = (said, again) => {
        const right = answer !== "" && isRight(answer, said);
        tries++;
        const over = right || isPrediction || tries >= TRIES || again;
        form.className = `answer ${right ? "right" : answer === "" ? "" : "wrong"}`;
        says.textContent = answer === "" ? `You predicted ${said}.` : right ? `${said}: right.` : isPrediction ? `You predicted ${said}; it is another.` : over ? `${said} is not it.` : `${said} is not it. Think again.`;
        if (over) details.open = true;
        if (over && !again) store(key, said);
    };
    form.addEventListener("submit", event => {
        event.preventDefault();
        const said = letter ? event.submitter && event.submitter.value : form.querySelector("input").value.trim();
        if (said) judge(said, false);
    });
    details.before(form);
    const before = stored(key);
    if (before !== null) {
        if (!letter) form.querySelector("input").value = before;
        judge(before, true);
    }
}

// On the page of contents: how many questions of a chapter were answered.
export function showProgress(entry) {
    const { chapter, questions } = entry.dataset;
    let answered = 0;
    try { answered = Object.keys(localStorage).filter(k => k.startsWith(`${PREFIX}${chapter}/`)).length; } catch { return; }
    if (answered) entry.querySelector(".progress").textContent = `${answered} of ${questions} answered`;
}
