/** Measures the least that opening can cost: reads a file backwards, parses only what the context needs. Arguments: file, end. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const [, , file, end] = process.argv;
const start = performance.now();
const descriptor = openSync(file, "r");
const found = [];
let wanted = null;
let firstKept = null;
let done = false;

let position = end === undefined ? fstatSync(descriptor).size : Number(end);
let begun = Buffer.alloc(0);
for (let step = 128 * 1024; position > 0 && !done; step = Math.min(step * 2, 4 * 1024 * 1024)) {
  const count = Math.min(step, position);
  position -= count;
  const chunk = Buffer.allocUnsafe(count + begun.length);
  readSync(descriptor, chunk, 0, count, position);
  begun.copy(chunk, count);
  let lineEnd = chunk.length;
  for (let at = chunk.lastIndexOf(10, lineEnd - 1); at !== -1 && !done; at = chunk.lastIndexOf(10, lineEnd - 1)) {
    if (at + 1 < lineEnd) take(chunk, at + 1, lineEnd);
    lineEnd = at;
    if (lineEnd === 0) break;
  }
  begun = chunk.subarray(0, lineEnd);
}
closeSync(descriptor);
const openMs = performance.now() - start;
console.log(JSON.stringify({ openMs, entries: found.length, rssMb: process.memoryUsage().rss / 1e6 }));

function take(chunk, from, to) {
  const head = chunk.latin1Slice(from, Math.min(to, from + 110));
  const idAt = head.indexOf('"id":"') + 6;
  if (wanted !== null && head.slice(idAt, head.indexOf('"', idAt)) !== wanted) return;
  const entry = JSON.parse(chunk.utf8Slice(from, to));
  if (entry.type === "session") {
    done = true;
    return;
  }
  found.push(entry);
  wanted = entry.parentId;
  if (entry.type === "compaction") firstKept ??= entry.firstKeptEntryId;
  done = entry.id === firstKept || wanted === null;
}
