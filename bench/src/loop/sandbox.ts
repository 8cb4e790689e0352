/** Our program's sandbox as a command of its own, so that the floor can run its bash in the very same one. */

import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Contender, Ground } from "./contenders.ts";
import { oneRun } from "./one-run.ts";

/** What stands before a command; null where our program does not use bwrap, or cannot here. */
export async function sandboxCommand(sandboxed: Contender, ground: Ground): Promise<readonly string[] | null> {
  const noted = join(ground.homes, "bwrap-arguments");
  const folder = standIn(ground.homes, noted);
  const command: Contender["command"] = (url, place) => {
    const { args, env } = sandboxed.command(url, place);
    return { args, env: { ...env, PATH: `${folder}:${env.PATH}` } };
  };
  await oneRun({ ...sandboxed, command }, { ...ground, rounds: 1 });
  if (!existsSync(noted)) return null;
  const shell = ["bwrap", ...lasting(readFileSync(noted, "utf8").split("\0").slice(0, -1))];
  return works(shell) ? shell : null;
}

/** A bwrap that notes what it was asked for, the last time, and does it. */
function standIn(homes: string, noted: string): string {
  const folder = join(homes, "stand-in");
  mkdirSync(folder);
  const file = join(folder, "bwrap");
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\0' "$@" > '${noted}'\nPATH="\${PATH#*:}" exec bwrap "$@"\n`);
  chmodSync(file, 0o755);
  return folder;
}

/** Without the command, and without what was there for that command alone: its own file descriptors and placeholders. */
function lasting(words: readonly string[]): readonly string[] {
  const options: string[][] = [];
  const end = words.indexOf("--");
  for (const word of words.slice(0, end)) {
    if (word.startsWith("--")) options.push([word]);
    else options.at(-1)?.push(word);
  }
  const isLasting = ([name = "", ...values]: readonly string[]): boolean =>
    !name.endsWith("-fd") && values.every((value) => !value.startsWith("/") || existsSync(value));
  return [...options.filter(isLasting).flat(), ...words.slice(end, -1)];
}

function works([program = "", ...leading]: readonly string[]): boolean {
  return spawnSync(program, [...leading, "echo inside"], { encoding: "utf8" }).stdout === "inside\n";
}
