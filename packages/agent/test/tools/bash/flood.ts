/** A program of its own, so that its memory can be told: runs a command by the tool and prints how much it grew. */

import { nodeShell } from "../../../src/node/shell/shell.ts";
import { bashTool } from "../../../src/tools/bash/bash.ts";

const [command = "true"] = process.argv.slice(2);
const tool = bashTool(nodeShell({ root: process.cwd(), environment: process.env }));
const { signal } = new AbortController();
const run = (text: string) => tool.run({ id: "call", arguments: { command: text }, signal, update: () => {} });

await run("seq 1000");
const before = process.memoryUsage.rss();
let highest = before;
const watch = setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss());
}, 10);
const { content, details } = await run(command);
highest = Math.max(highest, process.memoryUsage.rss());
clearInterval(watch);
const [block] = content;
const length = block?.type === "text" ? block.text.length : 0;
console.log(JSON.stringify({ grownMb: (highest - before) / 1_048_576, length, details }));
