/** Records what a run of the program has really used: its flags, commands, settings, events, RPC commands and hooks. End-to-end tests leave it behind, and `pnpm check:inventory` holds it against what there is and what is documented. */

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Ignored by git, emptied when tests begin. */
export const triggeredFolder: string = join(import.meta.dirname, "../../../../.triggered");

export interface Run {
  readonly args: readonly string[];
  readonly code: number | null;
  readonly out: string;
  /** Files of settings that this run could read. */
  readonly settingsFiles: readonly string[];
  /** Folders of templates, whose names are no commands of ours. */
  readonly templateFolders?: readonly string[];
  /** What extensions heard, where one was there to tell. */
  readonly hooks?: readonly string[];
}

/** A run that was refused for a mistake in its call has used nothing. */
export function recordTriggered(run: Run): void {
  if (run.code === 2) return;
  const line = {
    args: ownArgs(run),
    settings: settingsIn(run.settingsFiles),
    events: eventsIn(run),
    rpc: answeredIn(run),
    hooks: run.hooks ?? [],
  };
  mkdirSync(triggeredFolder, { recursive: true });
  appendFileSync(join(triggeredFolder, `${process.pid}.jsonl`), `${JSON.stringify(line)}\n`);
}

/** Without those that call a template. */
function ownArgs({ args, templateFolders = [] }: Run): readonly string[] {
  const files = templateFolders.filter((folder) => existsSync(folder)).flatMap((folder) => readdirSync(folder));
  const calls = files.map((file) => `/${file.replace(/\.md$/, "")}`);
  return args.filter((each) => !calls.some((call) => `${each} `.startsWith(`${call} `)));
}

/** Their texts, to be read as the program reads them. */
function settingsIn(files: readonly string[]): readonly string[] {
  return files.filter((file) => existsSync(file)).map((file) => readFileSync(file, "utf8"));
}

/** The types of the lines, where these are events. */
function eventsIn({ args, out }: Run): readonly string[] {
  if (!isMode("json", args) && !isMode("rpc", args)) return [];
  const types = out.split("\n").flatMap((line) => /^\{"type":"([a-z_]+)"/.exec(line)?.[1] ?? []);
  return [...new Set(types)].filter((type) => isMode("json", args) || !OF_RPC_ALONE.includes(type));
}

/** Lines that answer or ask, and what only a program on this line is told. */
const OF_RPC_ALONE: readonly string[] = ["response", "extension_ui_request", "bash_execution_update"];

/** A command that was refused has used nothing. */
function answeredIn({ args, out }: Run): readonly string[] {
  if (!isMode("rpc", args)) return [];
  const answers = out.split("\n").filter((line) => /"type":"response"/.test(line) && /"success":true/.test(line));
  return [...new Set(answers.flatMap((line) => /"command":"([a-z_]+)"/.exec(line)?.[1] ?? []))];
}

function isMode(mode: string, args: readonly string[]): boolean {
  return args.join(" ").includes(`--mode ${mode}`) || args.includes(`--mode=${mode}`);
}

export function setup(): void {
  rmSync(triggeredFolder, { recursive: true, force: true });
}
