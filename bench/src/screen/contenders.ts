/** Builds the commands of the programs to compare: ours, pi, and a minimal terminal program that echoes keys. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PI_ENVIRONMENT } from "../peers/pi.ts";
import type { TmuxCommand } from "./tmux.ts";

export interface Contender {
  readonly name: string;
  /** A text on the screen when the program accepts keys. */
  readonly readyText: string;
  /** The command for a session file, or for a new session if null. */
  command(folders: RunFolders, session: string | null): TmuxCommand;
}

export interface RunFolders {
  /** The URL of the server. */
  readonly url: string;
  readonly folder: string;
  readonly homes: string;
}

const BASE_ENVIRONMENT = { PATH: process.env.PATH ?? "", SHLVL: "1", LANG: "C.UTF-8" };

export function echoContender(): Contender {
  const file = join(import.meta.dirname, "echo.mjs");
  return {
    name: "echo",
    readyText: "ready",
    command: ({ folder }) => ({ command: [process.execPath, file], env: BASE_ENVIRONMENT, folder }),
  };
}

/** The same model as pi's. */
const MODEL: readonly string[] = ["--model", "anthropic/claude-sonnet-4-5", "--thinking", "off"];

export function pithContender(program: string): Contender {
  return {
    name: "pith",
    readyText: "claude-sonnet-4-5",
    command: ({ url, folder, homes }, session) => ({
      command: [process.execPath, program, ...MODEL, ...(session === null ? [] : ["--session", session])],
      env: { ...BASE_ENVIRONMENT, HOME: createHome(homes, "pith"), ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url },
      folder,
    }),
  };
}

export function piContender(program: string): Contender {
  const model = ["--provider", "anthropic", "--model", "claude-sonnet-4-5", "--thinking", "off"];
  return {
    name: "pi",
    readyText: "claude-sonnet-4-5",
    command: ({ url, folder, homes }, session) => {
      const home = createHome(homes, "pi");
      writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { anthropic: { baseUrl: url } } }));
      const env = {
        ...PI_ENVIRONMENT,
        ...BASE_ENVIRONMENT,
        HOME: home,
        PI_CODING_AGENT_DIR: home,
        ANTHROPIC_API_KEY: "any",
      };
      const sessionFlags = session === null ? [] : ["--session", session];
      return { command: [process.execPath, program, ...model, ...sessionFlags], env, folder };
    },
  };
}

function createHome(homes: string, name: string): string {
  const home = join(homes, name);
  mkdirSync(home, { recursive: true });
  return home;
}
