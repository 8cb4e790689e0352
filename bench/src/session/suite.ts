/** Runs `pnpm bench session`: opening, appending and listing, compared with the minimum possible and pi, each in new processes. */

import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sessionFolderName } from "@pith/context/node";
import { installBuiltContext } from "../built-package.ts";
import { median } from "../statistics.ts";
import type { Figures, Suite, SuiteOptions } from "../suite.ts";
import { measureOpening } from "./measure-open.ts";
import { measureOnePath } from "./one-path.ts";
import { runProgram, type SuiteContext, writePithSession } from "./setup.ts";

export const sessionSuite: Suite = {
  name: "session",
  description:
    "open, move, append and list sessions of 100,000 and 1,000,000 entries on disk, compared with pi and the minimum possible",
  run: runSession,
};

async function runSession(options: SuiteOptions): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "pith-bench-"));
  try {
    options.log("packing the package");
    const { folder: packageFolder, description } = await installBuiltContext(folder);
    const context: SuiteContext = { folder, packageFolder, options };
    return {
      measured: description,
      ...(await measureOpening(context)),
      ...(await measureOnePath(context)),
      ...(await measureAppends(context)),
      ...(await measureListing(context)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Measures durable appends, compared with a bare write and sync. */
async function measureAppends({ folder, packageFolder, options: { log, quick } }: SuiteContext): Promise<Figures> {
  const rounds = quick ? 3 : 7;
  log(`${rounds} rounds of appends, compared with a bare write`);
  const medians: AppendTimes<number>[] = [];
  for (let round = 0; round < rounds; round++) {
    const appendFolder = join(folder, `append-${round}`);
    mkdirSync(appendFolder);
    const appendTimes = await runProgram<AppendTimes<number[]>>("append.mjs", packageFolder, appendFolder, "400");
    // The first appends include compilation, which an agent that runs for hours does not notice.
    const typicalMs = (times: readonly number[]): number => median(times.slice(100));
    medians.push({
      bare: typicalMs(appendTimes.bare),
      store: typicalMs(appendTimes.store),
      session: typicalMs(appendTimes.session),
    });
  }
  return {
    append_bare_ms: median(medians.map((row) => row.bare)),
    append_durable_ms: median(medians.map((row) => row.store)),
    append_durable_x_bare: median(medians.map((row) => row.store / row.bare)),
    session_append_ms: median(medians.map((row) => row.session)),
  };
}

interface AppendTimes<Each> {
  readonly bare: Each;
  readonly store: Each;
  readonly session: Each;
}

async function measureListing({ folder, packageFolder, options }: SuiteContext): Promise<Figures> {
  const { log, seed, corpus, quick } = options;
  const pithHome = join(folder, "home");
  log(`writing ${SESSION_COUNT} sessions in ${FOLDER_COUNT} folders`);
  const templateFile = join(folder, "model.jsonl");
  writePithSession(templateFile, { entries: 20, compactions: 0, distance: 1000, seed, corpus });
  for (let index = 0; index < SESSION_COUNT; index++) {
    const projectFolder = join(pithHome, "sessions", sessionFolderName(`/code/project-${index % FOLDER_COUNT}`));
    mkdirSync(projectFolder, { recursive: true, mode: 0o700 });
    copyFileSync(templateFile, join(projectFolder, `2026-01-01T00-00-00-000Z_session-${index}.jsonl`));
  }
  const runListing = (): Promise<ListResult> => runProgram<ListResult>("list.mjs", packageFolder, pithHome);
  const first = await runListing();
  const warm: ListResult[] = [];
  for (let round = 0; round < (quick ? 5 : 15); round++) warm.push(await runListing());
  if (warm.some(({ sessions }) => sessions !== SESSION_COUNT))
    throw new Error(`not all of ${SESSION_COUNT} sessions were listed`);
  return {
    list_first_ms: first.listMs,
    list_5000_ms: median(warm.map(({ listMs }) => listMs)),
    list_rss_mb: median(warm.map(({ rssMb }) => rssMb)),
  };
}

const SESSION_COUNT = 5_000;
const FOLDER_COUNT = 50;

interface ListResult {
  readonly listMs: number;
  readonly sessions: number;
  readonly rssMb: number;
}
