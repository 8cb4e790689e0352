/** Defines the task and how each contender starts, in a home of its own: a floor without dependencies, our program, pi. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@pith/testkit";
import { quiet } from "../peers/pi.ts";

export const prompt = "Look at the files of this folder, one after the other, and say when you are done.";

/** One request more than there are rounds: the last one gets the last word. */
export function script(rounds: number): Script {
  return ({ number }) => (number > rounds ? "All of them are read." : { parts: [call(number)] });
}

export function writeFiles(folder: string): void {
  for (let at = 0; at < FILES; at += 1) writeFileSync(join(folder, name(at)), text(at));
}

const FILES = 40;
const BYTES = 2_048;
/** Fewer than half, so that the middle one of all rounds is one of the same kind each time. */
const READ_EVERY = 3;

function call(round: number) {
  const path = name(round % FILES);
  if (round % READ_EVERY === 0) return { type: "call", name: "read", arguments: { path } } as const;
  return { type: "call", name: "bash", arguments: { command: `echo round ${round}; head -c 1500 ${path}` } } as const;
}

function name(at: number): string {
  return `file-${at}.txt`;
}

function text(at: number): string {
  const line = `Line of file ${at}: what stands here says nothing, but it is as long as a line is.\n`;
  return line.repeat(Math.ceil(BYTES / line.length)).slice(0, BYTES);
}

export interface Contender {
  readonly name: string;
  command(url: string, ground: Ground): Command;
}

export interface Ground {
  /** Where the files lie; nobody writes there. */
  readonly folder: string;
  /** Below it each contender has a home, which stays from one run to the next. */
  readonly homes: string;
}

export interface Command {
  /** Of Node. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** As if a shell had started it: a bash that thinks it is the first reads the user's own files before each command. */
const started = { PATH: process.env.PATH ?? "", SHLVL: "1" };

export function floor(name: string, file: string): Contender {
  return { name, command: (url) => ({ args: [file, url, prompt], env: started }) };
}

export function pith(name: string, program: string, flags: readonly string[]): Contender {
  return {
    name,
    command: (url, { homes }) => ({
      args: [program, "-p", prompt, ...flags],
      env: { ...started, HOME: homeOf(homes, name), ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url },
    }),
  };
}

export function pi(program: string): Contender {
  const model = ["--provider", "anthropic", "--model", "claude-sonnet-4-5", "--thinking", "off"];
  return {
    name: "pi",
    command: (url, { homes }) => {
      const home = homeOf(homes, "pi");
      writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { anthropic: { baseUrl: url } } }));
      const env = { ...quiet, ...started, HOME: home, PI_CODING_AGENT_DIR: home, ANTHROPIC_API_KEY: "any" };
      return { args: [program, "-p", prompt, ...model], env };
    },
  };
}

function homeOf(homes: string, name: string): string {
  const home = join(homes, name);
  mkdirSync(home, { recursive: true });
  return home;
}
