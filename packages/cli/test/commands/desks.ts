/** A desk in a folder and a home of its own: a session from a story, kept in a file or not, and a model that says what it is told to. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, type AgentOptions } from "@pith/agent";
import { type Entry, MemoryStore, type Model, Session } from "@pith/context";
import { createSession, type JsonlStore, nodeRuntime } from "@pith/context/node";
import type { Store } from "@pith/context/store";
import { type ScriptedReply, scriptedModel, story } from "@pith/context/testing";
import { afterEach } from "vitest";
import type { CommandContext, CommandResult } from "../../src/commands/command.ts";
import { runCommand } from "../../src/commands/run-command.ts";

export interface DeskWish {
  readonly replies?: readonly ScriptedReply[];
  readonly isKept?: boolean;
  readonly parts?: Partial<AgentOptions>;
  readonly desk?: Partial<CommandContext>;
  readonly model?: Partial<Model>;
}

/** All of the story's lines are in its session; ids are e1, e2 and so on. */
export async function deskOf(lines: readonly string[], wish: DeskWish = {}): Promise<CommandContext> {
  const { replies = [], isKept = true, parts = {} } = wish;
  const cwd = folder("pith-desk-");
  const home = folder("pith-home-");
  const store = isKept ? await keptStore(cwd, home) : MemoryStore.create(nodeRuntime, { cwd });
  await fill(store, story(...lines));
  const session = await Session.open(store, nodeRuntime);
  const model = { ...scriptedModel(...replies), ...wish.model };
  const agent = new Agent({ session, model, tools: [], runtime: nodeRuntime, ...parts });
  return {
    agent,
    sessionPath: isKept ? (store as JsonlStore).path : null,
    cwd,
    home,
    settings: {},
    environment: {},
    openModel: async (name) => ({ type: "mistake", message: `there is no ${name} here` }),
    reload: async () => [],
    ...wish.desk,
  };
}

async function keptStore(cwd: string, home: string): Promise<JsonlStore> {
  const made = await createSession({ cwd, env: { PITH_HOME: home } });
  if (made.type !== "opened") throw new Error("no session could be made");
  open.push(made.store);
  return made.store;
}

async function fill(store: Store, entries: readonly Entry[]): Promise<void> {
  for (const entry of entries) await store.append([entry], { expectedLeaf: await store.leaf() });
}

const made: string[] = [];
const open: JsonlStore[] = [];

export function folder(prefix: string): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  made.push(path);
  return path;
}

afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** What a command tells; anything else fails the test with its own words. */
export async function toldBy(words: string, desk: CommandContext): Promise<string> {
  const answer = await answerOf(words, desk);
  if (answer.type !== "success") throw new Error(`${words}: ${JSON.stringify(answer)}`);
  return answer.text;
}

export async function answerOf(words: string, desk: CommandContext): Promise<CommandResult> {
  const answer = await runCommand(words, desk);
  if (!answer) throw new Error(`${words} is no command`);
  return answer;
}
