/** Defines the task and how each contender starts: the floor (a minimal agent), our program and pi, each with its own home folder. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@pith/testkit";
import { PI_ENVIRONMENT } from "../peers/pi.ts";

export const PROMPT = "Look at the files of this folder, one after the other, and say when you are done.";

/** Replies with a tool call in each round and with a text to the last request. */
export function createScript(rounds: number): Script {
  return ({ number }) => (number > rounds ? "All of them are read." : { parts: [createToolCall(number)] });
}

function createToolCall(round: number) {
  const path = fileName(round % FILE_COUNT);
  if (round % READ_EVERY === 0) return { type: "call", name: "read", arguments: { path } } as const;
  return { type: "call", name: "bash", arguments: { command: `echo round ${round}; head -c 1500 ${path}` } } as const;
}

function fileName(index: number): string {
  return `file-${index}.txt`;
}

const FILE_COUNT = 40;
const FILE_BYTES = 2_048;
/** Every third round calls `read`, the others `bash`, so that the median round always calls `bash`. */
const READ_EVERY = 3;

export function writeTaskFiles(folder: string): void {
  for (let index = 0; index < FILE_COUNT; index += 1) writeFileSync(join(folder, fileName(index)), fileText(index));
}

function fileText(index: number): string {
  const line = `Line of file ${index}: this text has no meaning, but it is as long as a normal line.\n`;
  return line.repeat(Math.ceil(FILE_BYTES / line.length)).slice(0, FILE_BYTES);
}

export interface Contender {
  readonly name: string;
  command(url: string, folders: RunFolders): NodeCommand;
}

export interface RunFolders {
  /** The folder with the task files. No contender writes to it. */
  readonly folder: string;
  /** Has a home folder for each contender, which is kept between runs. */
  readonly homes: string;
}

export interface NodeCommand {
  /** The arguments of Node. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export function floorContender(name: string, file: string): Contender {
  return { name, command: (url) => ({ args: [file, url, PROMPT], env: BASE_ENVIRONMENT }) };
}

/** Without `SHLVL`, a first-level bash reads the user's startup files before each command. */
const BASE_ENVIRONMENT = { PATH: process.env.PATH ?? "", SHLVL: "1" };

export function pithContender(name: string, program: string, flags: readonly string[]): Contender {
  return {
    name,
    command: (url, { homes }) => ({
      args: [program, "-p", PROMPT, ...flags],
      env: { ...BASE_ENVIRONMENT, HOME: createHome(homes, name), ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url },
    }),
  };
}

function createHome(homes: string, name: string): string {
  const home = join(homes, name);
  mkdirSync(home, { recursive: true });
  return home;
}

/** `modelOverrides` are changes to pi's models, by model id. */
export function piContender(program: string, modelOverrides: object = {}): Contender {
  const model = ["--provider", "anthropic", "--model", "claude-sonnet-4-5", "--thinking", "off"];
  return {
    name: "pi",
    command: (url, { homes }) => {
      const home = createHome(homes, "pi");
      const models = { providers: { anthropic: { baseUrl: url, modelOverrides } } };
      writeFileSync(join(home, "models.json"), JSON.stringify(models));
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
