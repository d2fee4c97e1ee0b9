// The roofline: kernels as points under the roofs of the modelled device. All numbers are in the data.
import uPlot from "uplot";
import { css } from "./charts.js";
import { el, percent, short } from "./text.js";

const NAMED = 8; // of more points than that only the table has the names

export function roofline(run) {
    const r = run.roofline;
    if (!r || !r.points.length) return null;
    const roofs = `copies reach ${short(r.memory_gbs)} GB/s, multiply-adds of f32 ${short(r.most_gflops / 1000)} TFLOP/s; they meet at ${short(r.ridge)} flops per byte`;
    const holder = el("div.chart", { role: "img", "aria-label": `Roofline: ${roofs}. ${r.points.map(p => `${p.kernel}: ${short(p.gflops)} GFLOP/s at ${short(p.flops_per_byte)} flops per byte, ${percent(p.share)} of the roof`).join("; ")}` });
    const panel = el("section.panel.roofline", { "aria-label": "Roofline" }, el("h3", {}, "Roofline"),
        el("p.says", {}, `Modelled: ${roofs}. Bytes of memory count once a launch; what lies in L2 may come faster.`), holder, table(r.points));
    // The roof and the points share one axis, in order.
    const all = [...r.roof.map(([x, y]) => ({ x, roof: y, point: null })), ...r.points.map(p => ({ x: p.flops_per_byte, roof: null, point: p.gflops, name: p.kernel }))].sort((a, b) => a.x - b.x);
    const names = u => {
        if (r.points.length > NAMED) return;
        const ratio = uPlot.pxRatio;
        u.ctx.save();
        u.ctx.textAlign = "left";
        u.ctx.fillStyle = css("--ink");
        u.ctx.font = `${11 * ratio}px system-ui`;
        const taken = [];
        for (const p of r.points) {
            const at = u.valToPos(p.flops_per_byte, "x", true), wide = u.ctx.measureText(p.kernel).width + 8 * ratio, line = 13 * ratio;
            const x = at + wide > u.bbox.left + u.bbox.width ? at - wide : at + 8 * ratio;
            let y = u.valToPos(p.gflops, "y", true) - 4 * ratio;
            while (taken.some(([left, right, top]) => left < x + wide && x < right && Math.abs(top - y) < line)) y -= line;
            taken.push([x, x + wide, y]);
            u.ctx.fillText(p.kernel, x, y);
        }
        u.ctx.restore();
    };
    let plot = null;
    const make = () => {
        if (plot) plot.destroy();
        const axis = { stroke: () => css("--dim"), grid: { stroke: () => css("--rule"), width: 1 }, ticks: { stroke: () => css("--rule") } };
        const ticks = (u, v) => v.map(x => (x !== null && Number.isInteger(Math.log10(x)) ? short(x) : ""));
        plot = new uPlot({ width: Math.max(holder.clientWidth, 280), height: 300, legend: { show: false }, cursor: { show: false }, hooks: { draw: [names] },
            scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
            series: [{}, { stroke: () => css("--dim"), width: 2, spanGaps: true, points: { show: false } }, { paths: () => null, points: { show: true, size: 9, fill: () => css("--accent"), stroke: () => css("--accent") } }],
            axes: [{ ...axis, label: "flops per byte", labelSize: 20, values: ticks }, { ...axis, label: "GFLOP/s", labelSize: 20, size: 56, values: ticks }] },
            [all.map(a => a.x), all.map(a => a.roof), all.map(a => a.point)], holder);
    };
    return { panel, make };
}

function table(points) {
    return el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Points of the roofline" }, el("table", {}, el("thead", {}, el("tr", {}, ["kernel", "flops per byte", "GFLOP/s, modelled", "of the roof"].map(t => el("th", { scope: "col" }, t)))),
        el("tbody", {}, points.map(p => el("tr", {}, el("th", { scope: "row" }, p.kernel), [short(p.flops_per_byte), short(p.gflops), percent(p.share)].map(c => el("td", {}, c)))))));
}
