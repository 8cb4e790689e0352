/** Runs a command with the bash tool in a separate process, stores its output on disk, and prints how much memory grew. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionBlobs } from "../../../src/node/blobs.ts";
import { nodeShell } from "../../../src/node/shell.ts";
import { bashTool } from "../../../src/tools/bash/bash.ts";

const [command = "true"] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "pith-flood-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const tool = bashTool(nodeShell({ root: folder, environment: process.env }), {
  blobs: sessionBlobs(join(folder, "session.jsonl")),
});
const { signal } = new AbortController();
const run = (text: string) =>
  tool.run({ id: "call", arguments: { command: text }, signal, maxOutputBytes: 50_000, update: () => {} });

await run("seq 100000");
const before = process.memoryUsage.rss();
let highest = before;
const watch = setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
}, 10);
const started = performance.now();
const { content, details } = await run(command);
const seconds = (performance.now() - started) / 1_000;
highest = Math.max(highest, process.memoryUsage.rss());
clearInterval(watch);
const [block] = content;
const text = block?.type === "text" ? block.text : "";
const lastLine = text.slice(text.lastIndexOf("\n") + 1).slice(0, 200);
console.log(
  JSON.stringify({ grownMb: (highest - before) / 1_048_576, seconds, length: text.length, lastLine, details }),
);
