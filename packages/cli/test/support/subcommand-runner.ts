/** Runs subcommands as the program calls them, without a process for each, in a home with sessions. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AssistantMessage, type NewEntry, Session } from "@pith/context";
import { zeroUsage } from "@pith/context/host";
import { createSession, nodeRuntime } from "@pith/context/node";
import { runSubcommand } from "../../src/subcommands/run.ts";
import { recordTriggered } from "./triggered.ts";

export interface SubcommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly notes: readonly string[];
}

export interface StoredSessionOptions {
  readonly prompt?: string;
  readonly name?: string;
  /** Days ago; the file's time is the same. */
  readonly age?: number;
  readonly cwd?: string;
  /** So many long answers, each to a question. */
  readonly answers?: number;
}

export class SubcommandRunner {
  readonly #root: string = realpathSync(mkdtempSync(join(tmpdir(), "pith-subcommands-")));
  readonly home: string = join(this.#root, "home");
  readonly folder: string = join(this.#root, "work");
  environment: Readonly<Record<string, string>> = { PATH: process.env.PATH ?? "", PITH_HOME: this.home };

  constructor() {
    for (const each of [this.home, this.folder]) mkdirSync(each, { mode: 0o700 });
  }

  add(options: StoredSessionOptions = {}): Promise<string> {
    return createStoredSession({ cwd: this.folder, ...options }, this.environment);
  }

  async run(...args: readonly string[]): Promise<SubcommandResult> {
    let out = "";
    const notes: string[] = [];
    const terminal = {
      writeOutput: async (text: string) => {
        out += text;
        return null;
      },
      notify: (line: string) => void notes.push(line),
    };
    const code = await runSubcommand(args, { cwd: this.folder, environment: this.environment, terminal });
    recordTriggered({ args, code, out, settingsFiles: [] });
    return { code, out, notes };
  }

  /** What `--json` prints. */
  async json(...args: readonly string[]): Promise<unknown> {
    const { code, out, notes } = await this.run(...args, "--json");
    if (code !== 0 && out === "") throw new Error(notes.join("\n"));
    return JSON.parse(out);
  }

  remove(): void {
    rmSync(this.#root, { recursive: true });
  }
}

/** A session with something said in it; its file. */
export async function createStoredSession(
  options: StoredSessionOptions & { readonly cwd: string },
  env: SubcommandRunner["environment"],
): Promise<string> {
  const { prompt = "Fix the login.", name, age = 0, cwd, answers = 0 } = options;
  const time = Date.now() - age * 24 * 3_600_000;
  const ports = { ...nodeRuntime, now: () => time };
  const created = await createSession({ cwd, runtime: ports, env });
  if (created.type !== "opened") throw new Error(`no session: ${created.type}`);
  const { store } = created;
  const session = await Session.open(store, ports);
  await session.append({ type: "message", message: { role: "user", content: prompt, timestamp: time } });
  for (let turn = 1; turn <= answers; turn++) await session.append(...exchange(turn, time));
  if (name !== undefined) await session.append({ type: "session_info", name });
  await store.close();
  utimesSync(store.path, new Date(time), new Date(time));
  return store.path;
}

function exchange(turn: number, timestamp: number): readonly NewEntry[] {
  const answer: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text: `Answer ${turn}. ${"many words of a long answer, ".repeat(2_000)}` }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    usage: zeroUsage,
    stopReason: "stop",
    timestamp,
  };
  const question = { role: "user", content: `Question ${turn}.`, timestamp } as const;
  return [
    { type: "message", message: answer },
    { type: "message", message: question },
  ];
}

/** The id in the name of a session's file. */
export function idOf(path: string): string {
  return /_([^_/]+)\.jsonl$/.exec(path)?.[1] ?? "";
}
