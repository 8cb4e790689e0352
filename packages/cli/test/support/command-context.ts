/** Creates the context of commands: a session from a story, kept in a file or in memory, in a folder and a home of its own, and a scripted model. */

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

export interface CommandContextOptions {
  readonly replies?: readonly ScriptedReply[];
  readonly isStored?: boolean;
  readonly agentOptions?: Partial<AgentOptions>;
  readonly context?: Partial<CommandContext>;
  readonly model?: Partial<Model>;
}

/** All of the story's lines are in its session; ids are e1, e2 and so on. */
export async function createCommandContext(
  lines: readonly string[],
  options: CommandContextOptions = {},
): Promise<CommandContext> {
  const { replies = [], isStored = true, agentOptions = {} } = options;
  const cwd = createTempFolder("pith-command-");
  const home = createTempFolder("pith-home-");
  const store = isStored ? await createStore(cwd, home) : MemoryStore.create(nodeRuntime, { cwd });
  await fill(store, story(...lines));
  const session = await Session.open(store, nodeRuntime);
  const model = { ...scriptedModel(...replies), ...options.model };
  const agent = new Agent({ session, model, tools: [], runtime: nodeRuntime, ...agentOptions });
  return {
    agent,
    sessionPath: isStored ? (store as JsonlStore).path : null,
    cwd,
    home,
    settings: {},
    environment: {},
    openModel: async (name) => ({ type: "mistake", message: `there is no ${name} here` }),
    reload: async () => [],
    ...options.context,
  };
}

async function createStore(cwd: string, home: string): Promise<JsonlStore> {
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

export function createTempFolder(prefix: string): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  made.push(path);
  return path;
}

afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** What a command tells; anything else fails the test with its own words. */
export async function runForText(words: string, context: CommandContext): Promise<string> {
  const answer = await runForResult(words, context);
  if (answer.type !== "success") throw new Error(`${words}: ${JSON.stringify(answer)}`);
  return answer.text;
}

export async function runForResult(words: string, context: CommandContext): Promise<CommandResult> {
  const answer = await runCommand(words, context);
  if (!answer) throw new Error(`${words} is no command`);
  return answer;
}
