/** Reads a session file and parses every line: the minimum of opening if all entries are in the context. Argument: file. */

import { readFileSync } from "node:fs";

const [, , file] = process.argv;
const before = process.cpuUsage();
const entries = readFileSync(file, "utf8")
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, entries: entries.length - 1 }));
