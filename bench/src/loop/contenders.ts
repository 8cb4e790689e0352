/** Defines the task and how each contender starts, in a home of its own: a floor without dependencies, our program, pi. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@pith/testkit";
import { PI_ENVIRONMENT } from "../peers/pi.ts";

export const PROMPT = "Look at the files of this folder, one after the other, and say when you are done.";

/** One request more than there are rounds: the last one gets the last word. */
export function createScript(rounds: number): Script {
  return ({ number }) => (number > rounds ? "All of them are read." : { parts: [createToolCall(number)] });
}

export function writeTaskFiles(folder: string): void {
  for (let index = 0; index < FILE_COUNT; index += 1) writeFileSync(join(folder, fileName(index)), fileText(index));
}

const FILE_COUNT = 40;
const FILE_BYTES = 2_048;
/** Fewer than half, so that the middle one of all rounds is one of the same kind each time. */
const READ_EVERY = 3;

function createToolCall(round: number) {
  const path = fileName(round % FILE_COUNT);
  if (round % READ_EVERY === 0) return { type: "call", name: "read", arguments: { path } } as const;
  return { type: "call", name: "bash", arguments: { command: `echo round ${round}; head -c 1500 ${path}` } } as const;
}

function fileName(index: number): string {
  return `file-${index}.txt`;
}

function fileText(index: number): string {
  const line = `Line of file ${index}: what stands here says nothing, but it is as long as a line is.\n`;
  return line.repeat(Math.ceil(FILE_BYTES / line.length)).slice(0, FILE_BYTES);
}

export interface Contender {
  readonly name: string;
  command(url: string, ground: RunFolders): NodeCommand;
}

export interface RunFolders {
  /** Where the files lie; nobody writes there. */
  readonly folder: string;
  /** Below it each contender has a home, which stays from one run to the next. */
  readonly homes: string;
}

export interface NodeCommand {
  /** Of Node. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** As if a shell had started it: a bash that thinks it is the first reads the user's own files before each command. */
const BASE_ENVIRONMENT = { PATH: process.env.PATH ?? "", SHLVL: "1" };

export function floorContender(name: string, file: string): Contender {
  return { name, command: (url) => ({ args: [file, url, PROMPT], env: BASE_ENVIRONMENT }) };
}

export function pithContender(name: string, program: string, flags: readonly string[]): Contender {
  return {
    name,
    command: (url, { homes }) => ({
      args: [program, "-p", PROMPT, ...flags],
      env: { ...BASE_ENVIRONMENT, HOME: createHome(homes, name), ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url },
    }),
  };
}

export function piContender(program: string): Contender {
  const model = ["--provider", "anthropic", "--model", "claude-sonnet-4-5", "--thinking", "off"];
  return {
    name: "pi",
    command: (url, { homes }) => {
      const home = createHome(homes, "pi");
      writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { anthropic: { baseUrl: url } } }));
      const env = {
        ...PI_ENVIRONMENT,
        ...BASE_ENVIRONMENT,
        HOME: home,
        PI_CODING_AGENT_DIR: home,
        ANTHROPIC_API_KEY: "any",
      };
      return { args: [program, "-p", PROMPT, ...model], env };
    },
  };
}

function createHome(homes: string, name: string): string {
  const home = join(homes, name);
  mkdirSync(home, { recursive: true });
  return home;
}
