// The time line of streams, with axes and zoom by uPlot, and heat over arrays.
import uPlot from "uplot";
import { el, plural, short } from "./text.js";

export const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const KINDS = { kernel: "--accent", copy_h2d: "--blue", copy_d2h: "--violet", copy_d2d: "--green", memset: "--green" };

export function timelineRows(operations) {
    const streams = [...new Set(operations.map(o => o.stream))].sort((a, b) => Number(a) - Number(b));
    return { streams, boxes: operations.map(o => ({ ...o, row: streams.indexOf(o.stream) })) };
}

export function timeline(run) {
    if (!run.timeline.length) return null;
    const { streams, boxes } = timelineRows(run.timeline);
    const end = Math.max(...boxes.map(b => b.end_us)), rows = streams.length;
    const holder = el("div.chart", { role: "img", "aria-label": `Time line: ${plural(boxes.length, "operation")} in ${plural(rows, "stream")}, ${short(end)} microseconds modelled` });
    const panel = el("section.panel.timeline", { "aria-label": "Time line" }, el("h3", {}, "Time line of streams"), el("p.says", {}, "Modelled. Drag to zoom, double click for all."), legend(), holder, table(run.timeline));
    const draw = u => {
        const { ctx } = u, ratio = uPlot.pxRatio;
        ctx.save();
        ctx.beginPath();
        ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
        ctx.clip();
        for (const b of boxes) {
            const x = u.valToPos(b.start_us, "x", true), w = Math.max(u.valToPos(b.end_us, "x", true) - x, 2 * ratio);
            const y = u.valToPos(b.row + 0.4, "y", true), h = u.valToPos(b.row - 0.4, "y", true) - y;
            ctx.fillStyle = css(KINDS[b.kind] || "--dim");
            ctx.fillRect(x, y, w, h);
            if (w > 60 * ratio && b.name) {
                ctx.fillStyle = css("--paper");
                ctx.font = `${11 * ratio}px system-ui`;
                ctx.fillText(String(b.name).slice(0, Math.floor(w / (7 * ratio))), x + 4 * ratio, y + h / 2 + 4 * ratio);
            }
        }
        ctx.restore();
    };
    let plot = null;
    const make = () => {
        if (plot) plot.destroy();
        const axis = { stroke: () => css("--dim"), grid: { stroke: () => css("--rule"), width: 1 }, ticks: { stroke: () => css("--rule") } };
        plot = new uPlot({ width: Math.max(holder.clientWidth, 280), height: 70 + 34 * rows, legend: { show: false }, cursor: { y: false }, hooks: { draw: [draw] },
            scales: { x: { time: false }, y: { range: [-0.6, rows - 0.4] } },
            series: [{}, { show: true, paths: () => null, points: { show: false } }],
            axes: [{ ...axis, values: (u, v) => v.map(x => `${short(x)} µs`) }, { ...axis, size: 70, splits: streams.map((_, i) => i), values: (u, v) => v.map(i => `stream ${streams[i] ?? ""}`) }] },
            [[0, end], [0, rows - 1]], holder);
    };
    return { panel, make };
}

function legend() {
    return el("p.keys", {}, [["--accent", "kernel"], ["--blue", "copy to the device"], ["--violet", "copy to the host"], ["--green", "copy or fill on the device"]].map(([colour, words]) => {
        const box = el("i", { "aria-hidden": "true" });
        box.style.background = `var(${colour})`;
        return el("span", {}, box, words);
    }));
}

function table(operations) {
    return el("details", {}, el("summary", {}, "as a table"), el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Operations" }, el("table", {}, el("thead", {}, el("tr", {}, ["stream", "operation", "name", "begins, µs", "takes, µs"].map(t => el("th", { scope: "col" }, t)))),
        el("tbody", {}, operations.slice(0, 200).map(o => el("tr", {}, [o.stream, String(o.kind).replace("_", " "), o.name || "", short(o.start_us), short(o.end_us - o.start_us)].map(c => el("td", {}, c))))))));
}

export function heat(run) {
    const maps = run.heat.filter(m => m.pieces.length);
    if (!maps.length) return null;
    const kernels = [...new Set(maps.map(m => m.kernel))];
    return el("section.panel.heat", { "aria-label": "Heat" }, el("h3", {}, "Heat over the arrays"), el("p.says", {}, "A cell is a piece of an array; the darker, the more often each of its 32-byte sectors was requested."),
        kernels.map(k => el("div", {}, el("h4", {}, k), maps.filter(m => m.kernel === k).map(map))));
}

// Eight steps, by powers of two: 1 request per sector is the least.
export const heatStep = requests => Math.max(1, Math.min(8, 1 + Math.round(Math.log2(Math.max(requests, 1)))));

function map(m) {
    return el("figure", {}, el("figcaption", {}, el("b", {}, m.name || m.memory || "memory"), ` ${short(m.size)} bytes, launch ${m.launch}. ${m.says}`),
        el("div.cells", { role: "img", "aria-label": `Heat of ${m.name || m.memory}: ${m.says}` }, m.pieces.map(([offset, per, fetched, written]) =>
            el(`i.heat${heatStep(per)}`, { title: `from byte ${offset}: ${short(fetched)} sectors read, ${short(written)} written, ${short(per)} per sector` }))));
}
