// Fails if the JavaScript of the first view is larger than its limit. The first
// view is the entry, all that it imports statically, and the worker, compressed
// one by one.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const LIMIT = 150_000;
const manifest = JSON.parse(readFileSync("dist/.vite/manifest.json", "utf8"));
const files = new Set();

function add(chunk) {
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const name of chunk.imports ?? []) add(manifest[name]);
}

for (const chunk of Object.values(manifest)) if (chunk.isEntry) add(chunk);
for (const name of readdirSync("dist/assets")) {
  if (name.startsWith("worker-")) files.add(`assets/${name}`);
}

let total = 0;
for (const file of files) {
  total += gzipSync(readFileSync(`dist/${file}`), { level: 9 }).length;
}
console.log(`first view: ${total} bytes of JavaScript compressed, limit ${LIMIT}`);
if (total > LIMIT || files.size === 0) process.exit(1);
