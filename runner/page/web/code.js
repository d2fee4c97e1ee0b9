// The code with its margin: what each line cost in the launch, and where the warp is.
import { el, percent, ratio, replace, short } from "./text.js";

const COLUMNS = [
    ["share", "share", "Share of the launch's modelled time"],
    ["executed", "runs", "Times that warps executed an instruction of the line"],
    ["lanes", "lanes", "Active lanes per executed instruction, of 32"],
    ["cost", "cost", "Sectors, passes or addresses per memory request"],
    ["conflicts", "confl.", "Additional passes by bank conflicts"],
];

export class Code {
    constructor(run, onLine) {
        this.run = run;
        this.rows = new Map();
        this.onLine = onLine;
        this.path = null;
        this.kernel = null;
        this.box = el("div.code", { tabindex: "0", role: "region", "aria-label": "Code, with what each line cost" });
        this.files = el("div.files");
        this.root = el("section.panel.code-panel", { "aria-label": "Code" }, el("header", {}, el("h3", {}, "Code"), this.files), this.box);
    }

    // The sums of a line: of the kernel that is walked through, where it has the line, else of any.
    margin(path, line) {
        const rows = this.run.margin.filter(r => r.path === path && r.line === line);
        return rows.find(r => r.kernel === this.kernel) || rows[0];
    }

    show(path, kernel) {
        const source = this.run.sources.find(s => s.path === path) || this.run.sources[0];
        this.kernel = kernel;
        this.path = source ? source.path : path;
        this.rows.clear();
        replace(this.files, this.run.sources.map(s => el("button.file", {
            type: "button", "aria-pressed": String(s === source), onclick: () => this.show(s.path, this.kernel) }, s.file)));
        if (!source) {
            replace(this.box, el("p.empty", {}, "The text of the source is not on this page."));
            return;
        }
        const head = el("thead", {}, el("tr", {}, COLUMNS.map(([, label, title]) => el("th", { title, scope: "col" }, label)),
            el("th", { scope: "col" }, el("span.hidden", {}, "line")), el("th.text", { scope: "col" }, source.file)));
        const hottest = Math.max(...this.run.margin.filter(r => r.path === source.path).map(r => r.share || 0), 1e-9);
        const body = el("tbody", {}, source.lines.map((text, i) => this.row(source.path, i + 1, text, hottest)));
        replace(this.box, el("table", {}, head, body));
    }

    row(path, number, text, hottest) {
        const m = this.margin(path, number);
        const cells = m ? [percent(m.share), short(m.executed), ratio(m.lanes, m.executed), ratio(m.cost, m.requests), m.requests > 0 ? short(m.conflicts || 0) : ""] : ["", "", "", "", ""];
        const heat = m ? Math.min(8, Math.ceil((8 * (m.share || 0)) / hottest)) : 0;
        const row = el("tr", { "data-line": number, onclick: () => this.onLine(path, number) },
            cells.map((c, i) => el(`td.m${i === 4 && m && m.conflicts > 0 ? ".bad" : ""}${i === 0 ? `.heat${heat}` : ""}`, {}, c)),
            el("td.n", {}, String(number)), el("td.text", {}, text || " "));
        this.rows.set(number, row);
        return row;
    }

    // Mark the line of the active lanes, and lines at which other lanes are.
    mark(path, line, others, kernel) {
        if (path && path !== this.path) this.show(path, kernel);
        for (const row of this.marked || []) row.classList.remove("now", "also");
        this.marked = [];
        for (const other of others) this.addMark(other, "also");
        const row = this.addMark(line, "now");
        if (row) this.reveal(row);
    }

    addMark(line, name) {
        const row = this.rows.get(line);
        if (row) {
            row.classList.add(name);
            this.marked.push(row);
        }
        return row;
    }

    reveal(row) {
        const top = row.offsetTop, box = this.box;
        if (top < box.scrollTop + 40 || top > box.scrollTop + box.clientHeight - 60) box.scrollTop = top - box.clientHeight / 3;
    }
}
