/** `pnpm flood [GIGABYTES]`: runs each kind of output with ten or the given number of gigabytes; fails if memory grows too much. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Flood, floods, MOST_GROWN_MB } from "./floods.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "flood.ts");
const [gigabytes = "10"] = process.argv.slice(2);

for (const { name, command, bytes } of floods(Number(gigabytes) * 1e9)) {
  const { stdout } = await run(process.execPath, [program, command]);
  const { grownMb, seconds, lastLine, details }: Flood = JSON.parse(stdout);
  const isWell = grownMb <= MOST_GROWN_MB && details.exitCode === 0 && details.bytes === bytes;
  if (!isWell) process.exitCode = 1;
  const speed = (bytes / 1e6 / seconds).toFixed(0);
  console.log(
    `${isWell ? "well" : "NOT WELL"}: ${name}, ${bytes / 1e9} GB: + ${grownMb.toFixed(1)} MB, ${speed} MB/s, ${lastLine}`,
  );
}
