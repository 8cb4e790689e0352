/** Who runs: a floor without dependencies, our program, pi; how each is started, in a home of its own. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quiet } from "../peers/pi.ts";
import { prompt } from "./task.ts";

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

/** `shell`: what stands before a command, instead of a plain bash. */
export function floor(name: string, file: string, shell?: readonly string[]): Contender {
  const more = shell ? [JSON.stringify(shell)] : [];
  return { name, command: (url) => ({ args: [file, url, prompt, ...more], env: started }) };
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
