/** Files handed down by whoever started the program, as a program sees them that has been handed one. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const source = join(import.meta.dirname, "../../../src/node/sandbox/inherited-files.ts");

test("BOX1 a file that was handed down is known, and one that the program opened itself is not taken for it", () => {
  const program = `
    import { openSync } from "node:fs";
    import { inheritedFiles } from ${JSON.stringify(source)};
    const [handed, own] = [200, openSync("/dev/null")];
    const files = inheritedFiles();
    console.log(files.includes(handed), files.includes(own));`;
  const node = [process.execPath, "--input-type=module", "-e", program];
  const { stdout } = spawnSync("/bin/bash", ["-c", 'exec 200</dev/null; exec "$@"', "bash", ...node]);
  expect(stdout.toString()).toBe("true false\n");
});
