/** `pnpm compare REF`: plays the same session files, settings and RPC conversation to the program of another commit and to this one, and fails where a byte differs or a test is gone. */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { countCalls } from "./compare/count-calls.ts";
import { type PlayOptions, type PlayResults, playAll, playConversation } from "./compare/play.ts";

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
  const otherFolder = checkOutCommit(commit);
  const programs = [buildProgram(otherFolder), buildProgram(root)] as const;
  const playOptions = { folder: join(scratch, "stage"), sessions: await prepareSessionFiles(programs[0]) };
  const beforeResults = await playAll(programs[0], playOptions);
  const afterResults = await playAll(programs[1], playOptions);
  const names = [...new Set([...beforeResults.keys(), ...afterResults.keys()])];
  const different = names.filter((name) => !compareResult(name, beforeResults, afterResults));
  console.log(`output: ${names.length} results, ${different.length} different`);
  return hasAllTests(otherFolder) && different.length === 0;
}

function checkOutCommit(commit: string): string {
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

/** Files of pi, and one that the older program has written. */
async function prepareSessionFiles(older: string): Promise<readonly string[]> {
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
