/** Measures the minimum time of opening: reads a file backwards and parses only the entries of the context. Arguments: file, end. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const [, , file, end] = process.argv;
const start = performance.now();
const descriptor = openSync(file, "r");
const entries = [];
let nextId = null;
let firstKept = null;
let done = false;

let position = end === undefined ? fstatSync(descriptor).size : Number(end);
let incompleteLine = Buffer.alloc(0);
for (let step = 128 * 1024; position > 0 && !done; step = Math.min(step * 2, 4 * 1024 * 1024)) {
  const count = Math.min(step, position);
  position -= count;
  const chunk = Buffer.allocUnsafe(count + incompleteLine.length);
  readSync(descriptor, chunk, 0, count, position);
  incompleteLine.copy(chunk, count);
  let lineEnd = chunk.length;
  for (
    let lineBreak = chunk.lastIndexOf(10, lineEnd - 1);
    lineBreak !== -1 && !done;
    lineBreak = chunk.lastIndexOf(10, lineEnd - 1)
  ) {
    if (lineBreak + 1 < lineEnd) readLine(chunk, lineBreak + 1, lineEnd);
    lineEnd = lineBreak;
    if (lineEnd === 0) break;
  }
  incompleteLine = chunk.subarray(0, lineEnd);
}
closeSync(descriptor);
const openMs = performance.now() - start;
console.log(JSON.stringify({ openMs, entries: entries.length, rssMb: process.memoryUsage().rss / 1e6 }));

function readLine(chunk, lineStart, lineEnd) {
  const head = chunk.latin1Slice(lineStart, Math.min(lineEnd, lineStart + 110));
  const idStart = head.indexOf('"id":"') + 6;
  if (nextId !== null && head.slice(idStart, head.indexOf('"', idStart)) !== nextId) return;
  const entry = JSON.parse(chunk.utf8Slice(lineStart, lineEnd));
  if (entry.type === "session") {
    done = true;
    return;
  }
  entries.push(entry);
  nextId = entry.parentId;
  if (entry.type === "compaction") firstKept ??= entry.firstKeptEntryId;
  done = entry.id === firstKept || nextId === null;
}
