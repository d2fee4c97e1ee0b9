// Starts the page: reads its data and builds a part for each run.
import { heat, timeline } from "./charts.js";
import { comparison, counters, kernels, launches, omitted } from "./overview.js";
import { Player } from "./player.js";
import { alarm, openReport, reportOfHash, reports } from "./reports.js";
import { roofline } from "./roofline.js";
import { el, visible } from "./text.js";

const data = JSON.parse(document.getElementById("data").textContent);
const players = [], charts = [], openings = []; // openings: each run's, once the page stands
let current = 0;

function title(run) {
    const w = run.walk;
    return el("header.run", {}, el("h2", {}, run.name), el("p.says", {}, el("b", {}, w.kernel), ` launch ${w.launch}, block ${(w.block || []).join(",")}, warp ${w.warp}: ${w.why}. Times modelled (${data.modelled_device}).`));
}

function build(run, index) {
    run.index = index;
    const player = new Player(run);
    players.push(player);
    const goTo = i => { player.go(i); player.root.scrollIntoView({ block: "start" }); };
    const time = timeline(run), roof = roofline(run);
    charts.push(...[time, roof].filter(Boolean).map(c => c.make));
    const part = el("div.run-part", { onfocusin: () => { current = index; }, onpointerdown: () => { current = index; } }, title(run),
        alarm(run), player.root, reports(run, goTo), kernels(run), roof && roof.panel, time && time.panel, heat(run), counters(run), launches(run), omitted(run));
    player.go(player.walk.at);
    const followHash = () => {
        const report = reportOfHash(run, location.hash);
        if (report >= 0) openReport(run, part, report, goTo);
    };
    window.addEventListener("hashchange", followHash);
    openings.push(followHash);
    return part;
}

function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme");
    button.setAttribute("aria-pressed", String(theme === "dark"));
    charts.forEach(make => make());
}

function isTyping(event) {
    return event.ctrlKey || event.metaKey || event.altKey || (event.target.matches && event.target.matches("input, textarea, select") && event.key.startsWith("Arrow"));
}

function start() {
    const main = document.getElementById("runs"), names = data.runs.map(r => r.name).join(" and ");
    document.title = visible(`${names} · warpbook`);
    document.getElementById("name").textContent = visible(names);
    const compared = comparison(data.runs);
    if (compared) main.before(compared);
    main.classList.toggle("two", data.runs.length > 1);
    main.append(...data.runs.map(build));
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    setTheme(dark.matches ? "dark" : "light");
    dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
    document.getElementById("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    document.addEventListener("keydown", event => {
        if (!isTyping(event) && players[current].key(event)) event.preventDefault();
    });
    let pending = 0;
    window.addEventListener("resize", () => {
        clearTimeout(pending);
        pending = setTimeout(() => charts.forEach(make => make()), 150);
    });
    openings.forEach(open => open());
    document.documentElement.dataset.ready = "yes";
}

start();
