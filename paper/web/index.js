// index.mjs DOCUMENTS.json: prints the index of the search, which the page of results holds.
import { readFileSync } from "node:fs";
import { engine } from "./engine.js";

const documents = JSON.parse(readFileSync(process.argv[2], "utf8")), search = engine();
search.addAll(documents);
process.stdout.write(JSON.stringify(search));
