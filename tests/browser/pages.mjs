// What the suites in a browser share: pages of Chromium, results as TAP, times of the page's own thread, axe-core.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.WARPBOOK_MODULES}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const LEAST_SCRIPT_MS = 1000, LEAST_STEP_MS = 50;

let count = 0, bad = 0;
export function result(problem, name) {
    count++;
    if (problem) {
        bad++;
        console.log(`# ${String(problem).split("\n").join("\n# ")}`);
    }
    console.log(`${problem ? "not ok" : "ok"} ${count} - ${name}`);
}

export function finish() {
    console.log(`1..${count}`);
    process.exit(bad ? 1 : 0);
}

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--font-render-hinting=none", "--disable-lcd-text"] });

// A page at ADDRESS, and what it says on its console or asks of another place.
export async function open(address, options = {}) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light", bypassCSP: false, reducedMotion: "reduce", ...options });
    const messages = [], url = address.includes("://") ? address : `file://${address}`, own = url.startsWith("http") ? new URL(url).origin : "file:";
    // The picture for its tab is a wish of the browser, not of the page.
    page.on("console", m => { if (!m.location().url.endsWith("/favicon.ico")) messages.push(m.text()); });
    page.on("pageerror", e => messages.push(e.message));
    page.on("request", r => { if (!r.url().startsWith(own) && !r.url().startsWith("data:")) messages.push(`asks for ${r.url()}`); });
    await page.goto(url);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    return { page, messages };
}

// What the first player shows, as text.
export const shown = page => page.evaluate(() => {
    const player = document.querySelector(".player");
    return [".where", ".lanes", ".values", ".banks"].map(s => (player.querySelector(s) || {}).innerText || "").join("\n");
});

export async function press(page, key, times) {
    for (let i = 0; i < times; i++) await page.keyboard.press(key);
}

// Times are those of the page's own thread, which other work of the machine does not lengthen.
async function timed(page) {
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable", { timeDomain: "threadTicks" });
    return client;
}
const metric = async (client, name) => 1000 * (await client.send("Performance.getMetrics")).metrics.find(m => m.name === name).value;
const task = client => metric(client, "TaskDuration");

// How long the page works for each of up to 200 steps.
export async function stepTime(page, name) {
    const client = await timed(page), from = await task(client);
    const steps = await page.evaluate(() => {
        const slider = document.querySelector(".bar input"), last = Math.min(Number(slider.max), 200);
        for (let i = 0; i <= last; i++) {
            slider.value = String(i);
            slider.dispatchEvent(new Event("input"));
            document.body.getBoundingClientRect();
        }
        return last + 1;
    });
    const each = (await task(client) - from) / steps;
    console.log(`# ${name}: a step takes ${each.toFixed(1)} ms`);
    result(each < LEAST_STEP_MS ? "" : `${each} ms`, `${name}: a step takes less than ${LEAST_STEP_MS} ms`);
}

export async function scripting(file, name) {
    const { page } = await open(file);
    const client = await timed(page);
    await page.reload();
    await page.waitForFunction(() => document.documentElement.dataset.ready === "yes");
    const ms = await metric(client, "ScriptDuration");
    console.log(`# ${name}: ${readFileSync(file).length} bytes, ${ms.toFixed(0)} ms of scripting`);
    result(ms < LEAST_SCRIPT_MS ? "" : `${ms} ms`, `${name}: opens within ${LEAST_SCRIPT_MS} ms of scripting`);
    await page.close();
}

export async function accessible(file, name, schemes = ["light", "dark"]) {
    for (const colorScheme of schemes) {
        const { page } = await open(file, { colorScheme });
        // The page's policy allows its own script alone; the debugger's is not asked.
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
        const serious = violations.filter(v => ["serious", "critical"].includes(v.impact));
        result(serious.map(v => `${v.id}: ${v.help}\n${v.nodes.slice(0, 3).map(n => n.html.slice(0, 200)).join("\n")}`).join("\n"), `${name}, ${colorScheme}: axe-core finds no serious fault`);
        await page.close();
    }
}
