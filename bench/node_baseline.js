// JSON.parse of each line of a file, for comparison. Prints the milliseconds it
// took as one JSON object: `parse` of strings that are decoded already, and
// `decode_and_parse`, which a program that reads bytes pays. They are the main
// thread's on the CPU; what V8's helper threads do beside it is not counted.
'use strict';
const fs = require('fs');

function now() {
  return Number(fs.readFileSync('/proc/self/schedstat', 'utf8').split(' ')[0]);
}

const bytes = fs.readFileSync(process.argv[2]);
const ends = [];
for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
  ends.push(at);
}
let members = 0;  // Used, so that nothing is optimized away.

let start = now();
let begin = 0;
for (const end of ends) {
  const line = bytes.toString('utf8', begin, end);
  members += 'type' in JSON.parse(line) ? 1 : 0;
  begin = end + 1;
}
const decodeAndParse = (now() - start) / 1e6;

begin = 0;
const lines = ends.map((end) => {
  const line = bytes.toString('utf8', begin, end);
  begin = end + 1;
  return line;
});
start = now();
for (const line of lines) members += 'type' in JSON.parse(line) ? 1 : 0;
const parse = (now() - start) / 1e6;

console.log(JSON.stringify({parse, decode_and_parse: decodeAndParse, members}));
