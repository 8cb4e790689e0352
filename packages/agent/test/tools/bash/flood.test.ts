/** Tests endless output: memory stays constant while the whole output goes to disk. */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { type Flood, floods, MOST_GROWN_MB } from "./floods.ts";

const program = join(import.meta.dirname, "flood.ts");
const run = promisify(execFile);

test.each(floods(100_000_000))(
  "BASH14 100 MB of output made of $name makes memory grow by at most 64 MB",
  async ({ command, bytes }) => {
    const { stdout } = await run(process.execPath, [program, command]);
    const { grownMb, length, details }: Flood = JSON.parse(stdout);
    expect(details).toMatchObject({ exitCode: 0, bytes });
    expect(length).toBeLessThan(54_000);
    expect(grownMb).toBeLessThan(MOST_GROWN_MB);
  },
);
