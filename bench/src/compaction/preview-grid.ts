/** Compares the price in a compaction's preview with what the compaction then costs, for several models, sizes, answers and cache ages. */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type TestServer } from "@pith/testkit";
import { PROMPT } from "../loop/contenders.ts";
import { computePrice, dealCases, findPrices, MODELS, RESULT_BYTES, ROUNDS, SUMMARY_LINES } from "./cases.ts";
import { createTask, type TaskShape, writeTaskFiles } from "./task.ts";

export interface PreviewCase {
  /** As `provider/model`. */
  readonly model: string;
  readonly rounds: number;
  readonly summaryLines: number;
  /** The minutes between the last request of the task and the compaction. */
  readonly idleMinutes: number;
}

/** The prices of one compaction, in dollars. */
export interface PreviewResult extends PreviewCase {
  readonly preview: number;
  /** From the usage that the server counted. */
  readonly actual: number;
  readonly receipt: number;
}

export function listPreviewCases(count: number, seed: number): readonly PreviewCase[] {
  const axes = { model: MODELS, rounds: ROUNDS, summaryLines: SUMMARY_LINES, idleMinutes: IDLE_MINUTES };
  return dealCases<PreviewCase>(axes, count, seed);
}

/** The cache is fresh, or it has expired with every provider. */
const IDLE_MINUTES = [0, 120];

/** Runs the task with the program, waits (by its clock and the server's), asks for the preview, and compacts. */
export async function measurePreview(
  program: string,
  { seed, ...previewCase }: PreviewCase & { readonly seed: number },
): Promise<PreviewResult> {
  const { model, rounds, summaryLines, idleMinutes } = previewCase;
  const folder = mkdtempSync(join(tmpdir(), "pith-preview-"));
  const shape: TaskShape = { rounds, resultBytes: RESULT_BYTES, summaryLines };
  const idleMs = idleMinutes * 60_000;
  let isIdle = false;
  const task = createTask(shape);
  const server = await startServer({ script: task.script, now: () => Date.now() - (isIdle ? 0 : idleMs) });
  try {
    const run = createRunner({ program, folder, model, server });
    writeTaskFiles(run.files, shape, seed);
    await run(["-p", PROMPT, "--permission-mode", "all", "--sandbox", "off", "--no-auto-compact"], -idleMs);
    isIdle = true;
    const workCount = server.requests.length;
    const preview = JSON.parse(await run(["compact", "last", "--preview", "--json"])) as { readonly price: number };
    const receipt = JSON.parse(await run(["compact", "last", "--json"])) as { readonly cost: number };
    return {
      ...previewCase,
      preview: preview.price,
      actual: computePrice(
        server.requests.slice(workCount).map(({ usage }) => usage),
        findPrices(model),
      ),
      receipt: receipt.cost,
    };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface RunnerOptions {
  readonly program: string;
  readonly folder: string;
  readonly model: string;
  readonly server: TestServer;
}

type Runner = ((args: readonly string[], clockShiftMs?: number) => Promise<string>) & { readonly files: string };

/** Returns a function that runs the program in a home folder of its own and returns its output. */
function createRunner({ program, folder, model, server }: RunnerOptions): Runner {
  const [home, files] = [join(folder, "home"), join(folder, "files")];
  mkdirSync(join(home, ".pith"), { recursive: true });
  mkdirSync(files);
  writeFileSync(join(home, ".pith/settings.json"), JSON.stringify({ model, thinking: "off", contextWindow: WINDOW }));
  const env = {
    PATH: process.env.PATH ?? "",
    SHLVL: "1",
    HOME: home,
    ANTHROPIC_API_KEY: "any",
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: "any",
    OPENAI_BASE_URL: `${server.url}/v1`,
  };
  const run = (args: readonly string[], clockShiftMs = 0): Promise<string> => {
    const command = ["--import", SHIFTED_CLOCK, program, ...args];
    return readOutput(command, { cwd: files, env: { ...env, CLOCK_SHIFT_MS: String(clockShiftMs) } });
  };
  return Object.assign(run, { files });
}

const WINDOW = 100_000;
const SHIFTED_CLOCK = join(import.meta.dirname, "shifted-clock.mjs");

function readOutput(
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<string> {
  const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let [output, errors] = ["", ""];
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    errors = `${errors}${chunk}`.slice(-1_000);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`pith ${args.slice(3).join(" ")} failed with exit code ${code}: ${errors}`));
    });
  });
}
