// ask.mjs PORT: requests to `warpbook site`, polite and hostile, byte by byte over a socket. Prints TAP lines for run-site:
// "PROBLEM|NAME", where an empty problem is good.
import { connect } from "node:net";

const port = Number(process.argv[2]);
const ask = (text, { host = "127.0.0.1", wait = 5000 } = {}) => new Promise(done => {
    const parts = [], socket = connect(port, host);
    const end = () => { socket.destroy(); done(Buffer.concat(parts).toString("latin1")); };
    const timer = setTimeout(end, wait);
    socket.on("data", d => parts.push(d)).on("close", () => { clearTimeout(timer); end(); }).on("error", () => {});
    socket.write(Buffer.from(text, "latin1"));
});
const get = (path, more = "", method = "GET") => ask(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${more}\r\n`);
const status = answer => Number((/^HTTP\/1\.1 (\d+) /.exec(answer) || [])[1] || 0);
const say = (good, name, answer = "") => console.log(`${good ? "" : (answer || "no answer").slice(0, 200).replace(/[\s|]+/g, " ")}|${name}`);

const index = await get("/");
say(status(index) === 200 && index.includes("the index") && /Content-Type: text\/html; charset=utf-8/.test(index), "the index", index);
say(["X-Content-Type-Options: nosniff", "frame-ancestors 'self'", "Referrer-Policy: no-referrer"].every(h => index.includes(h)), "headers that keep the pages to themselves", index);
const named = await get("/a%20page.html?x=/../");
say(named.includes("a page"), "a name with a space, and a query", named);
const below = await get("/below/");
say(below.includes("index below"), "the index of a folder", below);
const style = await get("/site.css", "", "HEAD");
say(status(style) === 200 && /Content-Length: 9\r\n/.test(style) && style.endsWith("\r\n\r\n") && style.includes("text/css"), "HEAD has no body", style);
const large = await get("/large.js");
say(large.length > 3e6 && large.endsWith("end"), "a large file comes whole", String(large.length));

for (const path of ["/../secret", "/%2e%2e/secret", "/below/../../secret", "/below/%2e%2e/%2E%2E/secret", "/..%2fsecret", "/%2e%2e%2fsecret", "//etc/passwd", "/%2fetc/passwd", "/below//../../secret", "/link", "/linked/secret", "/.hidden",
    "/pipe", "/none.html", "/site.css/", "/site.css/x", "/below/index.html/..", "/a%00b", "/a%0d%0ab", "/..\\secret", "/%5c..%5csecret", "/%", "/%4", "/%zz", "secret", "http://127.0.0.1/", "*", `/${"x".repeat(3000)}`, `/${"x/".repeat(3000)}`]) {
    const answer = await get(path);
    say([400, 404].includes(status(answer)) && !answer.includes("secret words") && !answer.includes("root:"), `nothing at ${path.slice(0, 40)}`, answer);
}
for (const [method, want] of [["POST", 405], ["PUT", 405], ["DELETE", 405], ["OPTIONS", 405], ["get", 405], ["GETX", 405], ["", 405]]) {
    const answer = await get("/", "", method);
    say([want, 400].includes(status(answer)) && !answer.includes("the index"), `method ${method || "none"}`, answer);
}
for (const head of ["Host: evil.example", `Host: evil.example:${port}`, "Host: 127.0.0.1", `Host: 127.0.0.1:${port}\r\nHost: evil.example`, `X: 127.0.0.1:${port}`, `Host: 127.0.0.1:${port}.evil.example`, `Host: localhost.evil:${port}`]) {
    const answer = await ask(`GET / HTTP/1.1\r\n${head}\r\n\r\n`);
    say(status(answer) === 421 && !answer.includes("the index"), `refused: ${head.replace(/\r\n/g, ", ").replaceAll(String(port), "PORT")}`, answer);
}
for (const [text, name] of [["\r\n\r\n", "an empty line"], ["GET /\r\n\r\n", "no version"], [`GET / HTTP/2.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`, "another version"], [`GET  / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, "two spaces"],
    ["\0".repeat(100) + "\r\n\r\n", "zeros"], ["\x16\x03\x01\x02\0\r\n\r\n", "TLS"], [`GET / HTTP/1.1\r\n${"A: b\r\n".repeat(3000)}\r\n`, "a head without an end"]]) {
    const answer = await ask(text);
    say(status(answer) === 400 && !answer.includes("the index"), `refused: ${name}`, answer);
}
// Clients that say nothing keep no others waiting.
const silent = Array.from({ length: 20 }, () => connect(port, "127.0.0.1").on("error", () => {}));
const from = Date.now(), beside = await get("/");
say(status(beside) === 200 && Date.now() - from < 2000, "twenty silent clients keep nobody waiting", beside);
silent.forEach(s => s.destroy());
const many = await Promise.all(Array.from({ length: 200 }, () => get("/site.css")));
say(many.every(a => status(a) === 200), "two hundred at once");
const elsewhere = await ask(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, { host: process.argv[3], wait: 1000 });
say(elsewhere === "", "nobody answers on this machine's other address", elsewhere);
