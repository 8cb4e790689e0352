/** `pnpm compare REF`: plays the same session files, settings and RPC conversation to the program of another commit and to this one, and fails where a byte differs or a test is gone. */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { countCalls } from "./compare/count-calls.ts";
import { type Played, play, playConversation, type Stage } from "./compare/play.ts";

const root = resolve(import.meta.dirname, "..");
const fixtures = resolve(root, "../shared/fixtures/pi-sessions");

const scratch = mkdtempSync(join(tmpdir(), "pith-compare-"));
try {
  process.exitCode = (await compare(process.argv[2])) ? 0 : 1;
} catch (error) {
  console.error(`compare: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 2;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

async function compare(commit: string | undefined): Promise<boolean> {
  if (commit === undefined) throw new Error("name the commit to compare with, for example: pnpm compare HEAD~3");
  if (!existsSync(fixtures)) throw new Error(`there are no session files in ${fixtures}`);
  const other = checkOut(commit);
  const programs = [build(other), build(root)] as const;
  const stage = { folder: join(scratch, "stage"), sessions: await sessionFiles(programs[0]) };
  const before = await play(programs[0], stage);
  const after = await play(programs[1], stage);
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const different = names.filter((name) => !isSame(name, before, after));
  console.log(`output: ${names.length} results, ${different.length} different`);
  return hasAllTests(other) && different.length === 0;
}

function checkOut(commit: string): string {
  const folder = join(scratch, "main");
  const archive = join(scratch, "main.tar");
  const { status } = spawnSync("git", ["-C", root, "archive", "--output", archive, commit]);
  if (status !== 0) throw new Error(`there is no commit "${commit}" here; git log lists them`);
  mkdirSync(folder);
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  execFileSync("pnpm", ["install", "--frozen-lockfile", "--ignore-scripts"], { cwd: folder, stdio: "ignore" });
  return folder;
}

function build(folder: string): string {
  execFileSync(process.execPath, ["scripts/build-program.ts"], { cwd: folder, stdio: "ignore" });
  return join(folder, "packages/cli/dist/program/pith.mjs");
}

/** Files of pi, and one that the older program has written. */
async function sessionFiles(older: string): Promise<readonly string[]> {
  const stage: Stage = { folder: join(scratch, "recording"), sessions: [] };
  await playConversation(older, stage);
  const [path] = globSync("home/sessions/**/*.jsonl", { cwd: stage.folder });
  if (path === undefined) throw new Error("the older program left no session");
  const recorded = join(scratch, "recorded.jsonl");
  cpSync(join(stage.folder, path), recorded);
  return [...globSync("*.jsonl", { cwd: fixtures }).map((name) => join(fixtures, name)), recorded];
}

function isSame(name: string, before: Played, after: Played): boolean {
  const [was, is] = [before.get(name) ?? "(nothing)", after.get(name) ?? "(nothing)"];
  if (was === is) {
    console.log(`same, ${String(was.length).padStart(9)} characters: ${name}`);
    return true;
  }
  const lines = was.split("\n");
  const at = is.split("\n").findIndex((line, index) => line !== lines[index]);
  console.log(`DIFFERENT in line ${at + 1}: ${name}\n  before: ${lines[at]}\n  after:  ${is.split("\n")[at]}`);
  return false;
}

function hasAllTests(other: string): boolean {
  const [was, is] = [countCalls(other), countCalls(root)];
  console.log(
    `test( calls: ${was.test} before, ${is.test} after; expect( calls: ${was.expect} before, ${is.expect} after`,
  );
  return is.test >= was.test && is.expect >= was.expect;
}
