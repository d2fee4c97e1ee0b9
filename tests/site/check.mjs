// check.mjs pages DIR    every link of the site leads somewhere, pages load nothing but their own parts, pictures have words
// check.mjs units        functions of paper/web that need no browser
// check.mjs search DIR   the index of the page of results finds sections
// Prints a line for each fault; the end is 1 if there is one.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isRight } from "../../paper/web/questions.js";

let faults = 0;
function check(good, what) {
    if (good) return;
    faults++;
    console.log(what);
}

function pages(dir) {
    const files = readdirSync(dir).filter(f => f.endsWith(".html")), text = Object.fromEntries(files.map(f => [f, readFileSync(join(dir, f), "utf8")]));
    const ids = Object.fromEntries(files.map(f => [f, new Set([...text[f].matchAll(/ id="([^"]*)"/g)].map(m => m[1]))]));
    const runs = new Set(readdirSync(join(dir, "runs"))), pictures = new Set(readdirSync(join(dir, "pictures")));
    check(files.length > 38, `${files.length} pages`);
    for (const f of files) {
        const all = [...text[f].matchAll(/ id="([^"]*)"/g)].map(m => m[1]);
        check(all.length === ids[f].size, `${f}: an id stands twice: ${all.find((id, i) => all.indexOf(id) !== i)}`);
        for (const [, to] of text[f].matchAll(/<a [^>]*href="([^"]*)"/g)) {
            const [file, place] = to.split("#");
            if (/^https?:/.test(to)) continue;
            if (file.startsWith("runs/")) { check(runs.has(file.slice(5)), `${f}: no ${to}`); continue; }
            check((file === "" ? f : file) in text, `${f}: no page ${to}`);
            check(!place || (ids[file || f] || new Set()).has(place), `${f}: no place ${to}`);
        }
        for (const [tag, src] of text[f].matchAll(/<(?:img|script|link|iframe)\b[^>]*?\b(?:src|href)="([^"]*)"[^>]*>/g))
            check(["site.js", "site.css", "icon.svg"].includes(src) || (src.startsWith("pictures/") && pictures.has(src.slice(9))) || (src.startsWith("runs/") && runs.has(src.slice(5))), `${f} loads ${tag}`);
        for (const [tag] of text[f].matchAll(/<img\b[^>]*>/g)) check(/alt="[^"]{20,}"/.test(tag), `${f}: no words for ${tag.slice(0, 80)}`);
        const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(text[f]);
        check(policy && policy[1].startsWith("default-src 'none'; script-src 'self';") && !policy[1].includes("unsafe"), `${f}: the policy is ${policy && policy[1]}`);
        check(!/<script(?! src="site\.js" defer| type="application\/json")|<style| on\w+=| style=/.test(text[f].replace(/<script type="application\/json"[\s\S]*?<\/script>/g, "").replace(/<pre[\s\S]*?<\/pre>/g, "")), `${f} has a script or style of its own`);
        check(!/<!-- (?!-->)/.test(text[f].replace(/<pre[\s\S]*?<\/pre>/g, "")), `${f}: a mark of the book is left`);
    }
}

function search(dir) {
    const data = JSON.parse(/<script type="application\/json" id="index">([\s\S]*?)<\/script>/.exec(readFileSync(join(dir, "search.html"), "utf8"))[1]);
    check(data.documentCount > 400, `${data.documentCount} sections`);
    for (const word of ["stride", "barrier", "shuffle", "occupancy", "roofline"]) check(data.index.some(([w]) => w === word), `the index lacks ${word}`);
}

function units() {
    for (const [answer, said, right] of [["b", "b", true], ["b", "B)", true], ["b", "a", false], ["16", "16", true], ["16", "16.1", true], ["16", "16.2", false], ["16", "", false], ["16", "x", false],
        ["0.62..0.65", "0.63", true], ["0.62..0.65", "0.66", false], ["5.625", "5,625", true], ["0", "0", true], ["0", "0.1", false]])
        check(isRight(answer, said) === right, `${said} for ${answer} is ${right ? "wrong" : "right"}`);
}

const [what, dir] = process.argv.slice(2);
({ pages, search, units })[what](dir);
process.exit(faults ? 1 : 0);
