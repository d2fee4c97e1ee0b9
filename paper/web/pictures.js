// Pictures in lessons, of what the emulator recorded: requests with the address of each lane, a copy at each stride, the
// tree of a reduction. All that is shown is in their data.
import { Request } from "../../runner/page/web/memory.js";
import { el, plural, replace, svg } from "../../runner/page/web/text.js";

// A request, and where the lane that is pointed at or chosen reads or writes.
class Lanes {
    constructor() {
        this.request = new Request();
        this.says = el("output.lane-says");
        this.slider = el("input", { type: "range", min: "0", max: "31", value: "0", "aria-label": "Lane", oninput: () => this.point(Number(this.slider.value)) });
        this.root = el("div", {}, this.request.root, el("p.lane-bar", {}, el("label", {}, "lane ", this.slider), " ", this.says));
        this.request.box.addEventListener("pointerover", event => {
            const lane = event.target.dataset && event.target.dataset.lane;
            if (lane !== undefined) this.point(Number(lane));
        });
    }

    show(q) {
        this.q = q;
        this.request.show(q, false);
        this.point(Number(this.slider.value));
    }

    point(lane) {
        const { q } = this, place = q.places[lane];
        this.slider.value = String(lane);
        this.says.textContent = place ? `Lane ${lane}: ${q.offsets ? `byte ${q.offsets[lane]} of ${q.memory}, ` : ""}${q.space === "shared" ? "bank" : "sector"} ${place[0]}` : `Lane ${lane} makes no access here`;
        for (const hit of this.request.box.querySelectorAll("[data-lane]")) hit.classList.toggle("pointed", Number(hit.dataset.lane) === lane);
    }
}

function requests(root, rows) {
    const lanes = new Lanes(), code = el("code"), choose = el("select", { onchange: () => show(Number(choose.value)) },
        rows.map((r, i) => el("option", { value: i }, `line ${r.line}: ${r.q.space} ${r.q.effect}, ${r.q.space === "shared" ? `${r.q.passes} pass${r.q.passes === 1 ? "" : "es"}` : `${r.q.sectors} sectors`}`)));
    const show = i => {
        at = Math.min(Math.max(i, 0), rows.length - 1);
        choose.value = String(at);
        code.textContent = rows[at].text;
        lanes.show(rows[at].q);
    };
    let at = 0;
    root.append(el("p", {}, "Recorded from a warp of the solution. ", el("label", {}, "Request of ", choose)), el("p", {}, code), lanes.root);
    show(0);
    return to => show(to === undefined ? 0 : at + to);
}

function strides(root, rows) {
    const lanes = new Lanes(), words = el("output"), slider = el("input", { type: "range", min: "1", max: String(rows.length), value: "1", "aria-label": "Stride in floats", oninput: () => show(Number(slider.value)) });
    const bars = rows.map((r, i) => el("button.bar-of", { type: "button", tabindex: "-1", "aria-hidden": "true", title: `stride ${i + 1}: ${r.q.sectors} sectors`, onclick: () => show(i + 1) }));
    let at = 1;
    const show = stride => {
        at = stride = Math.min(Math.max(stride, 1), rows.length);
        slider.value = String(stride);
        words.textContent = ` ${stride}: ${rows[stride - 1].q.sectors} sectors for 128 bytes`;
        bars.forEach((b, i) => b.classList.toggle("chosen", i === stride - 1));
        lanes.show(rows[stride - 1].q);
    };
    rows.forEach((r, i) => bars[i].append(svg("svg", { viewBox: "0 0 8 32", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { x: 0, y: 32 - r.q.sectors, width: 8, height: r.q.sectors }))));
    root.append(el("p", {}, "A warp loads ", el("code", {}, "in[threadIdx.x * stride]"), ", recorded once for each stride. Bars: sectors of a request, by stride."),
        el("div.bars", {}, bars), el("p.lane-bar", {}, el("label", {}, "stride ", slider), words), lanes.root);
    show(1);
    return to => show(to === undefined ? 1 : at + to);
}

const WIDE = 30, HIGH = 64, TOP = 20;

function tree(root, data) {
    const box = el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Tree of the reduction" }), words = el("p", { role: "status" });
    let at = 0;
    const x = word => word * WIDE + WIDE / 2, y = step => TOP + step * HIGH;
    const adders = step => {
        const lanes = new Set(data.steps[step].arcs.map(a => a[1])).size;
        return `${plural(lanes, "lane")} add${lanes === 1 ? "s" : ""}`;
    };
    const aloud = step => step === 0 ? "Before the first step each word has its own value." : `Step ${step} of ${data.steps.length - 1}, line ${data.steps[step].line}: ${adders(step)}; word 0 is now ${data.steps[step].values[0]}.`;
    const show = step => {
        at = Math.min(Math.max(step, 0), data.steps.length - 1);
        const picture = svg("svg", { viewBox: `0 0 ${32 * WIDE} ${y(data.steps.length - 1) + 24}`, class: "tree", role: "img", "aria-label": aloud(at) });
        data.steps.slice(0, at + 1).forEach((s, i) => {
            for (const [from, to] of s.arcs) picture.append(svg("line", { x1: x(from), y1: y(i - 1) + 5, x2: x(to), y2: y(i) - 12, class: i === at ? "arc now" : "arc" }));
            const written = new Set(s.arcs.map(a => a[1]));
            s.values.forEach((v, word) => picture.append(svg("text", { x: x(word), y: y(i), class: i === 0 || written.has(word) ? "value" : "value old" }, String(v))));
        });
        replace(box, picture);
        words.textContent = aloud(at);
        back.disabled = at === 0;
        on.disabled = at === data.steps.length - 1;
    };
    const back = el("button", { type: "button", onclick: () => show(at - 1) }, "◀ step back"), on = el("button", { type: "button", onclick: () => show(at + 1) }, "step on ▶");
    root.append(el("p", {}, "The 32 words of shared memory of the block, top to bottom in time, recorded from ", el("code", {}, data.kernel), " of the solution. A line leads from a word that a lane reads to the word that it writes."),
        el("p.steps", {}, back, " ", on), words, box);
    show(0);
    return to => show(to === undefined ? 0 : at + to);
}

// Each returns a function that steps the picture by so much, or without a number goes to its first state.
const MAKERS = { requests, stride: strides, tree };
export function makePicture(root) {
    return MAKERS[root.dataset.picture](root, JSON.parse(root.querySelector("script").textContent));
}
