/** Runs `pnpm bench import`: the time from process start to first request, compared with a program without dependencies. */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "@pith/testkit";
import { rolldown } from "rolldown";
import { median } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";

export const importSuite: Suite = {
  name: "import",
  description: "start of a bundled program that sends one request, compared with one without dependencies",
  run: runImport,
};

async function runImport({ quick, log }: SuiteOptions): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  let requestTime = 0;
  const server = await startServer({
    script: () => {
      requestTime = performance.now();
      return "Here I am.";
    },
  });
  try {
    const program = await bundleProgram(fileURLToPath(new URL("program.ts", import.meta.url)), folder);
    const floor = fileURLToPath(new URL("floor.mjs", import.meta.url));
    log("first starts, to fill the caches");
    const timeStart = async (file: string): Promise<number> => {
      const startTime = performance.now();
      await runToEnd(file, server.url);
      return requestTime - startTime;
    };
    for (const file of [floor, program, program]) await timeStart(file);
    const rows = [];
    for (let round = 0; round < (quick ? 9 : 31); round += 1)
      rows.push({ floor: await timeStart(floor), ours: await timeStart(program) });
    return toFigures(rows);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

/** Bundles a program as it would be shipped, with a start file that enables V8's compile cache. Returns the start file. */
async function bundleProgram(program: string, folder: string): Promise<string> {
  const bundle = await rolldown({ input: program, platform: "node", logLevel: "silent" });
  await bundle.write({ dir: join(folder, "bundle"), format: "esm", minify: true, ...FILE_NAMES });
  await bundle.close();
  const start = join(folder, "start.mjs");
  const cache = join(folder, "compiled");
  writeFileSync(
    start,
    `import { enableCompileCache } from "node:module";\nenableCompileCache(${JSON.stringify(cache)});\nawait import("./bundle/program.mjs");\n`,
  );
  return start;
}

// With the extension `.mjs`, Node need not detect the module type.
const FILE_NAMES = { entryFileNames: "program.mjs", chunkFileNames: "[name]-[hash].mjs" };

function runToEnd(file: string, address: string): Promise<void> {
  const child = spawn(process.execPath, [file, address, "Are you there?"], { stdio: ["ignore", "pipe", "inherit"] });
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => {
      if (code === 0 && stdout === "Here I am.") resolve();
      else reject(new Error(`${file} exited with ${code} and printed ${JSON.stringify(stdout)}`));
    });
  });
}

/** Compares each start with the one directly before it, so that other load affects both. */
function toFigures(rows: readonly { readonly floor: number; readonly ours: number }[]): Figures {
  return {
    floor_start_ms: median(rows.map(({ floor }) => floor)),
    provider_start_ms: median(rows.map(({ ours }) => ours)),
    provider_start_x_floor: median(rows.map(({ floor, ours }) => ours / floor)),
  };
}
