// Opens pages in Chromium and prints TAP: no message on the console, steps to the report and back to the same values,
// by keys alone; axe-core's faults; times of opening and of a step; pictures against those in docs/screens.
import { basename } from "node:path";
import { accessible, browser, finish, open, openTab, picture, press, record, result, scripting, shown, stepTime } from "./pages.mjs";

const pages = process.argv.slice(2).filter(a => a && a !== "--record");

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

// A link from a page of marks: the walk opens at the moment of the report that it names, or there at the report.
async function opensAtReport(file) {
    const data = run => run.reports.map(r => ({ hash: `#${[r.kind, ...r.sides.map(s => s.line)].join("-")}`, at: r.sides[0].count }));
    const { page } = await open(file), all = await page.evaluate(`(${data})(JSON.parse(document.getElementById("data").textContent).runs[0])`);
    const { hash, at } = all.find(r => r.hash !== all[0].hash);
    await page.close();
    const tab = await open(`${file}${hash}`), there = await text(tab.page, ".where"), from = await text(await (await open(file)).page, ".where");
    result(there.includes(`number ${at} of`) && there !== from && !tab.messages.length ? "" : `${hash}: ${there}`, "an address opens its report's moment");
    await tab.page.evaluate(h => { location.hash = h; }, all[0].hash);
    await tab.page.waitForFunction(n => document.querySelector(".where").innerText.includes(`number ${n} of`), all[0].at);
    result("", "and another one on the same page");
    const none = await open(`${file}#race-999-1`);
    result((await text(none.page, ".where")) === from ? "" : "another moment", "one that is not there opens the page as without it");
}
const text = (page, selector) => page.locator(selector).first().innerText();

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
    for (const [name, options] of [["desktop", {}], ["dark", { colorScheme: "dark" }], ["phone", { viewport: { width: 390, height: 844 }, isMobile: true }]])
        await picture(named("missing-barrier"), `missing-barrier-${name}`, options);
    await opensAtReport(named("missing-barrier"));
    const { page, messages } = await open(named("hostile"));
    result(await page.evaluate(() => document.querySelectorAll("#runs img, #runs b script").length === 0 && !document.title.includes("\u001b")) && !messages.length ? "" : messages.join("\n") || "a text of the program became markup", "texts of a program stay text");
    const refused = await page.evaluate(() => { const s = document.createElement("script"); s.textContent = "window.intruded = true"; document.body.append(s); return !window.intruded; });
    result(refused ? "" : "a script that was added ran", "the policy refuses a script that is added");
} finally {
    await browser.close();
}
finish();
