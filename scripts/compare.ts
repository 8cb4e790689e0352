/**
 * `pnpm compare REF`: gives the same session files, settings and RPC conversation to the program of another commit and to this one. Fails if a
 * byte of the output differs, or if this checkout has fewer tests.
 */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { createInterface } from "node:readline";
import { type Script, type Step, startServer } from "@pith/testkit";
import { Visitor } from "rolldown/utils";
import { parseSource, type Source } from "./source/source.ts";

const root = resolve(import.meta.dirname, "..");
const fixtures = resolve(root, "../shared/fixtures/pi-sessions");

async function runScript(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), "pith-compare-"));
  try {
    process.exitCode = (await compare(process.argv[2], scratch)) ? 0 : 1;
  } catch (error) {
    console.error(`compare: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 2;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function compare(commit: string | undefined, scratch: string): Promise<boolean> {
  if (commit === undefined) throw new Error("name the commit to compare with, for example: pnpm compare HEAD~3");
  if (!existsSync(fixtures)) throw new Error(`there are no session files in ${fixtures}`);
  const otherFolder = checkOutCommit(commit, scratch);
  const programs = [buildProgram(otherFolder), buildProgram(root)] as const;
  const playOptions = { folder: join(scratch, "play"), sessions: await prepareSessionFiles(programs[0], scratch) };
  const beforeResults = await playAll(programs[0], playOptions);
  const afterResults = await playAll(programs[1], playOptions);
  const names = [...new Set([...beforeResults.keys(), ...afterResults.keys()])];
  const different = names.filter((name) => !compareResult(name, beforeResults, afterResults));
  console.log(`output: ${names.length} results, ${different.length} different`);
  return hasAllTests(otherFolder) && different.length === 0;
}

function checkOutCommit(commit: string, scratch: string): string {
  const folder = join(scratch, "main");
  const archive = join(scratch, "main.tar");
  const { status } = spawnSync("git", ["-C", root, "archive", "--output", archive, commit]);
  if (status !== 0) throw new Error(`there is no commit "${commit}" here; git log lists them`);
  mkdirSync(folder);
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  execFileSync("pnpm", ["install", "--frozen-lockfile", "--ignore-scripts"], { cwd: folder, stdio: "ignore" });
  return folder;
}

function buildProgram(folder: string): string {
  execFileSync(process.execPath, ["scripts/build-program.ts"], { cwd: folder, stdio: "ignore" });
  return join(folder, "packages/cli/dist/program/pith.mjs");
}

/** Returns session files of pi, and one that the older program wrote. */
async function prepareSessionFiles(older: string, scratch: string): Promise<readonly string[]> {
  const playOptions: PlayOptions = { folder: join(scratch, "recording"), sessions: [] };
  await playConversation(older, playOptions);
  const [path] = globSync("home/sessions/**/*.jsonl", { cwd: playOptions.folder });
  if (path === undefined) throw new Error("the older program left no session");
  const recorded = join(scratch, "recorded.jsonl");
  cpSync(join(playOptions.folder, path), recorded);
  return [...globSync("*.jsonl", { cwd: fixtures }).map((name) => join(fixtures, name)), recorded];
}

function compareResult(name: string, beforeResults: PlayResults, afterResults: PlayResults): boolean {
  const [beforeText, afterText] = [beforeResults.get(name) ?? "(nothing)", afterResults.get(name) ?? "(nothing)"];
  if (beforeText === afterText) {
    console.log(`same, ${String(beforeText.length).padStart(9)} characters: ${name}`);
    return true;
  }
  const lines = beforeText.split("\n");
  const position = afterText.split("\n").findIndex((line, index) => line !== lines[index]);
  console.log(
    `DIFFERENT in line ${position + 1}: ${name}\n  before: ${lines[position]}\n  after:  ${afterText.split("\n")[position]}`,
  );
  return false;
}

function hasAllTests(otherFolder: string): boolean {
  const [beforeCalls, afterCalls] = [countCalls(otherFolder), countCalls(root)];
  console.log(
    `test( calls: ${beforeCalls.test} before, ${afterCalls.test} after; expect( calls: ${beforeCalls.expect} before, ${afterCalls.expect} after`,
  );
  return afterCalls.test >= beforeCalls.test && afterCalls.expect >= beforeCalls.expect;
}

export interface PlayOptions {
  /** Emptied for each program, so that paths in the output are the same. */
  readonly folder: string;
  /** Session files that the program reads. */
  readonly sessions: readonly string[];
}

/** The output by the name of the case. */
export type PlayResults = ReadonlyMap<string, string>;

async function playAll(program: string, options: PlayOptions): Promise<PlayResults> {
  const results = new Map<string, string>();
  prepareFolder(options);
  for (const [name, args] of listFileCases(options)) results.set(name, runProgram(program, args, options));
  writeFileSync(join(options.folder, "home/settings.json"), INVALID_SETTINGS);
  results.set("settings with mistakes", runProgram(program, ["settings", "--json"], options));
  results.set("rpc: every line", await playConversation(program, options));
  for (const [path, text] of readWrittenSessions(options)) results.set(`rpc: ${path}`, text);
  return results;
}

function prepareFolder({ folder, sessions }: PlayOptions): void {
  rmSync(folder, { recursive: true, force: true });
  for (const each of ["home", "user", "work/.pith", "sessions"]) mkdirSync(join(folder, each), { recursive: true });
  for (const path of sessions) cpSync(path, join(folder, "sessions", path.split("/").at(-1) ?? ""));
  writeFileSync(join(folder, "home/settings.json"), USER_SETTINGS);
  writeFileSync(join(folder, "work/.pith/settings.json"), PROJECT_SETTINGS);
  writeFileSync(join(folder, "work/notes.txt"), "one\ntwo\nthree\n");
}

function listFileCases({ folder }: PlayOptions): readonly (readonly [name: string, args: readonly string[]])[] {
  const settings = [["settings"], ["settings", "--json"], ["settings", "--trust", "--json"], ["settings", "--schema"]];
  const sessionCases = readdirSync(join(folder, "sessions")).flatMap((name) => {
    const path = join(folder, "sessions", name);
    return [
      ["sessions", "show", path, "--tail", "0"],
      ["sessions", "show", path, "--tree", "--json"],
      ["sessions", "stats", path, "--json"],
      ["context", path, "--model", MODEL, "--json"],
      ["compact", path, "--model", MODEL, "--preview"],
      ...["markdown", "html", "pi"].map((as) => ["sessions", "export", path, "--as", as, "-o", `${path}.${as}`]),
    ];
  });
  return [...settings, ...sessionCases].map((args) => [args.join(" ").replaceAll(`${folder}/`, ""), args]);
}

/** Returns standard output, standard error, the exit code, and the file after `-o`. */
function runProgram(program: string, args: readonly string[], options: PlayOptions): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--import", FROZEN_MODULE, program, ...args], {
    cwd: join(options.folder, "work"),
    env: createEnvironment(options),
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  const file = args[args.indexOf("-o") + 1] ?? "";
  return `${stdout}\n--- ${status}\n${stderr}\n---\n${args.includes("-o") ? readFileSync(file, "utf8") : ""}`;
}

/** Sends the RPC conversation and returns every line that the program prints. Each command waits for the response to the one before it. */
export async function playConversation(program: string, options: PlayOptions): Promise<string> {
  prepareFolder(options);
  const server = await startServer({ script });
  const args = ["--mode", "rpc", "--permission-mode", "all", "--model", MODEL, "--sandbox", "off"];
  const child = spawn(process.execPath, ["--import", FROZEN_MODULE, program, ...args], {
    cwd: join(options.folder, "work"),
    env: { ...createEnvironment(options), ANTHROPIC_BASE_URL: server.url },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines: string[] = [];
  const pending = [...CONVERSATION.entries()];
  const sendNext = (): void => {
    const [index, command] = pending.shift() ?? [];
    if (command === undefined) child.stdin.end();
    else child.stdin.write(`${JSON.stringify({ id: `c${index}`, ...command })}\n`);
  };
  let responseCount = 0;
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    const { type, id, success, error } = JSON.parse(line);
    if (success === false) errors.push(`${CONVERSATION[responseCount]?.type}: ${error}`);
    const isPrompt = CONVERSATION[responseCount]?.type === "prompt";
    if (isPrompt ? type !== "agent_end" : type !== "response" || id !== `c${responseCount}`) return;
    responseCount += 1;
    sendNext();
  });
  sendNext();
  await new Promise((resolve) => child.on("close", resolve));
  await server.close();
  if (errors.length > 0) throw new Error(`${program} refused ${errors.join("; ")}`);
  if (responseCount < CONVERSATION.length)
    throw new Error(`${program} ended after ${responseCount} commands: ${lines.at(-1)}`);
  return lines.join("\n");
}

/** Reads the session files that the conversation wrote. */
function readWrittenSessions({ folder }: PlayOptions): readonly (readonly [path: string, text: string])[] {
  const home = join(folder, "home");
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && item.name.endsWith(".jsonl"))
    .map(({ parentPath, name }) => relative(home, join(parentPath, name)))
    .sort()
    .map((path) => [path, readFileSync(join(home, path), "utf8").replaceAll(LINE_TRAILER, "}")]);
}

/** The mark of lines that are not on disk yet, which depends on the speed of the disk, and the checksum over it. */
const LINE_TRAILER = /(?:,"run":\d+)?,"crc":"[0-9a-f]{8}"\}$/gm;

function createEnvironment({ folder }: PlayOptions): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, HOME: join(folder, "user"), PITH_HOME: join(folder, "home"), ANTHROPIC_API_KEY: "any", TZ: "UTC" };
}

const FROZEN_MODULE = join(import.meta.dirname, "freeze-time.mjs");
const MODEL = "anthropic/claude-sonnet-4-5";

const USER_SETTINGS = `{
  // Comments are kept.
  "thinking": "low",
  "theme": "dark",
  "fetchHosts": ["localhost:5173"],
  "compaction": { "thresholdPercent": 72.5, "keepRecentTokens": 1000, "instructions": "Keep the file names." },
  "secrets": { "also": ["COMPANY_PIN"] }
}
`;
const PROJECT_SETTINGS = `{ "tools": ["read", "bash", "write"], "compaction": { "softPercent": 60 }, "notify": "bell" }\n`;
const INVALID_SETTINGS = `{ "thinking": "loud", "permissions": {}, "compaction": { "enabled": "no" } }\n`;

const script: Script = ({ text, resultCount }) => {
  if (text.includes("<conversation>") || text.includes("## Goal")) return SUMMARY;
  if (resultCount > 0) return "Done.";
  if (text.includes("read it")) return createCallStep("read", { path: "notes.txt" });
  if (text.includes("run it")) return createCallStep("bash", { command: "wc -l notes.txt" });
  if (text.includes("write it")) return createCallStep("write", { path: "new.txt", content: "new\n" });
  return `You said: ${text.slice(0, 80)} ${LONG_TEXT}`;
};

/** Long enough that a compaction can free tokens. */
const LONG_TEXT = "word ".repeat(6_000);

function createCallStep(name: string, args: Readonly<Record<string, string>>): Step {
  return { parts: [{ type: "call", id: `toolu_${name}`, name, arguments: args }] };
}

const SUMMARY = `## Goal\n- look at notes\n\n## Constraints & Preferences\n(none)\n\n## Progress\n### Done\n- [x] read notes.txt\n\n### In Progress\n(none)\n\n### Blocked\n(none)\n\n## Key Decisions\n(none)\n\n## Next Steps\n1. wait\n\n## Critical Context\n(none)\n`;

const CONVERSATION: readonly { readonly type: string; readonly [field: string]: unknown }[] = [
  { type: "get_state" },
  { type: "get_commands" },
  { type: "prompt", message: "Hello there" },
  { type: "prompt", message: "Please read it" },
  { type: "pin", text: "Keep to tabs." },
  { type: "prompt", message: "Please run it" },
  { type: "prompt", message: "Please write it" },
  { type: "set_thinking_level", level: "high" },
  { type: "prompt", message: "One more question" },
  { type: "bash", command: "echo from the shell" },
  { type: "context_usage" },
  { type: "preview_compaction" },
  { type: "compact" },
  { type: "prompt", message: "And after it" },
  { type: "undo_compaction" },
  { type: "redo_compaction" },
  { type: "set_session_name", name: "compared" },
  { type: "get_messages" },
  { type: "get_entries" },
  { type: "get_tree" },
  { type: "get_fork_messages" },
  { type: "get_session_stats" },
  { type: "clone" },
  { type: "get_state" },
  { type: "get_last_assistant_text" },
];

export interface CallCounts {
  readonly test: number;
  readonly expect: number;
}

/** Counts the calls of `test` and `expect` in the tests of a checkout, by parser. `it(…)` and `test.each(…)(…)` count as `test(…)`. */
export function countCalls(root: string): CallCounts {
  const files = globSync(["packages/*/{src,test}/**/*.ts", "{scripts,bench}/test/**/*.ts"], {
    cwd: root,
    exclude: (path) => `${path}`.includes("node_modules"),
  });
  const names = files.flatMap((path) => listCalledNames({ path, text: readFileSync(join(root, path), "utf8") }));
  const count = (...wanted: string[]): number => names.filter((name) => wanted.includes(name)).length;
  return { test: count("test", "it"), expect: count("expect") };
}

/** Lists the names that calls begin with: `expect(a).not.toBe(b)` gives `expect` once, and `test.each(rows)("…")` gives `test`. */
function listCalledNames(source: Source): readonly string[] {
  const names: string[] = [];
  const visitor = new Visitor({
    CallExpression: ({ callee }) => {
      if (callee.type === "Identifier") names.push(callee.name);
      if (callee.type !== "MemberExpression" || callee.object.type !== "Identifier") return;
      if (["test", "it"].includes(callee.object.name)) names.push(callee.object.name);
    },
  });
  visitor.visit(parseSource(source).program);
  return names;
}

if (import.meta.main) await runScript();
