// Opens pages in Chromium and prints TAP: no message on the console, steps to the report and back to the same values,
// by keys alone; axe-core's faults; times of opening and of a step; pictures against those in golden/.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { accessible, browser, finish, open, openTab, press, result, scripting, shown, stepTime } from "./pages.mjs";

const [mode, ...files] = process.argv.slice(2).filter((a, i) => a || i > 0);
const record = mode === "--record", pages = record ? files : [mode, ...files].filter(Boolean);
const golden = fileURLToPath(new URL("golden/", import.meta.url));
const DIFFERENT = 0.01;

async function walks({ page, visit }, file, name) {
    const messages = await visit(file);
    const begin = await shown(page);
    const { at, length } = await page.evaluate(() => { const s = document.querySelector(".bar input"); return { at: Number(s.value), length: Number(s.max) }; });
    await press(page, "ArrowRight", Math.min(12, length - at));
    await press(page, "ArrowLeft", Math.min(12, length - at));
    result(await shown(page) === begin ? "" : `${begin}\nis not\n${await shown(page)}`, `${name}: forwards and back to the same values`);
    await page.keyboard.press("End");
    const end = await shown(page);
    await page.keyboard.press("Home");
    await press(page, "n", 3);
    await press(page, "p", 2);
    await page.keyboard.press("f");
    result(await shown(page) === begin && end !== begin ? "" : `${begin}\nis not\n${await shown(page)}`, `${name}: to its end, its begin, by line, and back to where it opened`);
    await stepTime(page, name);
    result(messages.join("\n"), `${name}: no message on the console, no request`);
}

async function picture(file, name, options) {
    const { page } = await open(file, options);
    const shot = await page.screenshot({ animations: "disabled" }), kept = `${golden}${name}.png`;
    if (record) {
        mkdirSync(golden, { recursive: true });
        writeFileSync(kept, shot);
    } else {
        // The browser itself compares: both as canvases, by the part of pixels that differ visibly.
        const part = await browser.newPage().then(async p => {
            const share = await p.evaluate(async ([a, b]) => {
                const pixels = async s => { const image = new Image(); image.src = `data:image/png;base64,${s}`; await image.decode(); const c = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height }).getContext("2d"); c.drawImage(image, 0, 0); return c.getImageData(0, 0, image.width, image.height); };
                const [x, y] = [await pixels(a), await pixels(b)];
                if (x.width !== y.width || x.height !== y.height) return 1;
                let different = 0;
                for (let i = 0; i < x.data.length; i += 4) if (Math.abs(x.data[i] - y.data[i]) + Math.abs(x.data[i + 1] - y.data[i + 1]) + Math.abs(x.data[i + 2] - y.data[i + 2]) > 96) different++;
                return different / (x.data.length / 4);
            }, [readFileSync(kept).toString("base64"), shot.toString("base64")]);
            await p.close();
            return share;
        });
        result(part <= DIFFERENT ? "" : `${(100 * part).toFixed(2)} % of the pixels differ`, `picture ${name}`);
    }
    await page.close();
}

try {
    const tab = await openTab();
    for (const file of pages) {
        const name = basename(file, ".html");
        if (!record) {
            await walks(tab, file, name);
            await scripting(tab, file, name);
            await accessible(tab, file, name);
        }
    }
    const named = name => pages.find(f => basename(f, ".html") === name);
    for (const [name, options] of [["desktop", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 844 }, isMobile: true }]]) {
        await picture(named("missing-barrier"), `missing-barrier-${name}`, options);
        await picture(named("solution"), `solution-${name}`, options);
    }
    const { page, messages } = await open(named("hostile"));
    result(await page.evaluate(() => document.querySelectorAll("#runs img, #runs b script").length === 0 && !document.title.includes("\u001b")) && !messages.length ? "" : messages.join("\n") || "a text of the program became markup", "texts of a program stay text");
    const refused = await page.evaluate(() => { const s = document.createElement("script"); s.textContent = "window.intruded = true"; document.body.append(s); return !window.intruded; });
    result(refused ? "" : "a script that was added ran", "the policy refuses a script that is added");
} finally {
    await browser.close();
}
finish();
