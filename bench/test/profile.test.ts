/** Tests that the samples of a profile are assigned to the parts of the program. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type CpuProfile, timeByPart } from "../src/profile/parts.ts";

test("START3 each sample counts for the innermost module on its stack, and only within the spans", () => {
  const folder = mkdtempSync(join(tmpdir(), "pith-parts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "run.mjs");
  writeFileSync(file, "// packages/context/src/secrets/scan.ts\nscan\n// node_modules/.pnpm/zod/core.js\nparse\n");
  const url = pathToFileURL(file).href;
  const frame = (functionName: string, lineNumber = -1, at = url) => ({ functionName, url: at, lineNumber });
  const profile: CpuProfile = {
    nodes: [
      { id: 1, callFrame: frame("(root)", -1, ""), children: [2, 5, 6] },
      { id: 2, callFrame: frame("scan", 1), children: [3, 4] },
      { id: 3, callFrame: frame("replace", -1, "") },
      { id: 4, callFrame: frame("parse", 3) },
      { id: 5, callFrame: frame("(idle)", -1, "") },
      { id: 6, callFrame: frame("toString", -1, "") },
    ],
    startTime: 1_000_000,
    samples: [2, 3, 4, 5, 6, 4],
    timeDeltas: [1_000, 1_000, 1_000, 1_000, 1_000, 1_000],
  };
  const times = timeByPart(profile, [{ startMs: 1_000, endMs: 1_005.5 }]);
  expect(Object.fromEntries(times)).toEqual({ secrets: 2, provider_package: 1, waiting: 1, node: 1 });
});
