/** Builds the commands of the programs to compare: ours, pi, and a minimal terminal program that only echoes. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { quiet } from "../peers/pi.ts";
import type { Started } from "./tmux.ts";

export interface Contender {
  readonly name: string;
  /** Stands on the screen once one can type. */
  readonly ready: string;
  /** With the long session, or a new one. */
  command(place: Place, session: string | null): Started;
}

export interface Place {
  /** Of the server. */
  readonly url: string;
  readonly folder: string;
  readonly homes: string;
}

const plainly = { PATH: process.env.PATH ?? "", SHLVL: "1", LANG: "C.UTF-8" };

export function echo(): Contender {
  const file = join(import.meta.dirname, "echo.mjs");
  return {
    name: "echo",
    ready: "ready",
    command: ({ folder }) => ({ command: [process.execPath, file], env: plainly, folder }),
  };
}

export function pith(program: string): Contender {
  return {
    name: "pith",
    ready: "claude-sonnet-4-5",
    command: ({ url, folder, homes }, session) => ({
      command: [process.execPath, program, ...(session === null ? [] : ["--session", session])],
      env: { ...plainly, HOME: homeOf(homes, "pith"), ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url },
      folder,
    }),
  };
}

export function pi(program: string): Contender {
  const model = ["--provider", "anthropic", "--model", "claude-sonnet-4-5", "--thinking", "off"];
  return {
    name: "pi",
    ready: "claude-sonnet-4-5",
    command: ({ url, folder, homes }, session) => {
      const home = homeOf(homes, "pi");
      writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { anthropic: { baseUrl: url } } }));
      const env = { ...quiet, ...plainly, HOME: home, PI_CODING_AGENT_DIR: home, ANTHROPIC_API_KEY: "any" };
      const named = session === null ? [] : ["--session", session];
      return { command: [process.execPath, program, ...model, ...named], env, folder };
    },
  };
}

function homeOf(homes: string, name: string): string {
  const home = join(homes, name);
  mkdirSync(home, { recursive: true });
  return home;
}
