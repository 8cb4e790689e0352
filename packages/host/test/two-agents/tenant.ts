/** Opens agents of one tenant with all that a server keeps apart for it: folders, settings, environment, keys, vault and storage. */

import { join } from "node:path";
import {
  type AskPermission,
  type BlobStore,
  createMemoryBlobs,
  type PermissionQuestion,
  type SearchEntries,
} from "@pith/agent";
import { originalsFolder } from "@pith/agent/node";
import { type Entry, MemoryStore } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { type BuildAgentOptions, type BuiltAgent, buildAgent } from "../../src/build-agent.ts";
import { openLocalWorkspace } from "../../src/sandbox/local-workspace.ts";
import { createVault } from "../../src/settings/secrets.ts";
import type { Settings } from "../../src/settings/settings.ts";
import type { Workspace } from "../../src/workspace.ts";
import { type Call, ScriptedModel } from "./scripted-model.ts";
import type { TenantFolders } from "./tenant-folders.ts";

export interface TenantOptions {
  readonly folders: TenantFolders;
  readonly environment: Readonly<Record<string, string>>;
  /** The key of its model provider, which only the host knows. */
  readonly modelKey: string;
}

export interface OpenAgentOptions {
  /** Default: that of the tenant. */
  readonly workspace?: string;
  readonly settings?: Settings;
  readonly ask?: AskPermission;
  /** Whether secrets are redacted. Redaction could hide a leak. */
  readonly isRedacted?: boolean;
  readonly permissions?: BuildAgentOptions["permissions"];
}

export class Tenant {
  readonly model: ScriptedModel;
  readonly options: TenantOptions;

  private constructor(model: ScriptedModel, options: TenantOptions) {
    this.model = model;
    this.options = options;
  }

  static async open(options: TenantOptions): Promise<Tenant> {
    return new Tenant(await ScriptedModel.open(), options);
  }

  async openAgent(options: OpenAgentOptions = {}): Promise<TenantAgent> {
    const { folders, environment, modelKey } = this.options;
    const { home, userHome } = folders;
    const settings: Settings = {
      model: "anthropic/claude-sonnet-4-5",
      baseUrl: this.model.url,
      tools: ["all"],
      compaction: { enabled: false },
      ...options.settings,
    };
    const cwd = options.workspace ?? folders.workspace;
    const context = { cwd, home, userHome, environment, settings };
    const keys = {
      location: "the table of keys",
      read: async () => ({ type: "read", keys: { anthropic: modelKey } }) as const,
    };
    const workspace = openLocalWorkspace(context);
    const storage = {
      store: MemoryStore.create(nodeRuntime, { cwd }),
      blobs: createMemoryBlobs(),
      originals: originalsFolder(join(home, "originals")),
      search: searchNothing,
    };
    const vault = options.isRedacted === false ? null : await createVault({ ...context, keys });
    const user = options.ask && { user: { ask: options.ask } };
    const parts = { storage, workspace, keys, vault, ...user, permissions: options.permissions ?? {} };
    const built = await buildAgent({ home, environment, settings, ...parts });
    if (built.type === "failed") throw new Error(built.message);
    return new TenantAgent({ built, workspace, model: this.model, blobs: storage.blobs });
  }

  close(): Promise<void> {
    return this.model.close();
  }
}

/** The sessions of this test are not searched; `recall` still opens entries by number. */
const searchNothing: SearchEntries = async () => ({
  type: "found",
  hits: [],
  count: 0,
  more: false,
  incomplete: null,
});

interface TenantAgentParts {
  readonly built: BuiltAgent;
  readonly workspace: Workspace;
  readonly model: ScriptedModel;
  readonly blobs: BlobStore;
}

export interface CallResult {
  readonly text: string;
  readonly details: unknown;
}

export class TenantAgent {
  readonly #parts: TenantAgentParts;
  #isClosed = false;

  constructor(parts: TenantAgentParts) {
    this.#parts = parts;
  }

  /** Lets the model make the calls, and returns what it saw of each. */
  async run(calls: readonly Call[], words = "Go on."): Promise<readonly CallResult[]> {
    const { built, model } = this.#parts;
    const results = new Map<string, CallResult>();
    for await (const event of built.agent.prompt(model.plan(calls, words))) {
      if (event.type === "agent_end" && event.end.type !== "done") throw new Error(JSON.stringify(event.end));
      if (event.type !== "tool_execution_end") continue;
      const { content, details } = event.result;
      const text = content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
      results.set(event.toolCallId, { text, details });
    }
    const ids = listCallIds(built.agent.session.branch.entries);
    return ids.slice(-calls.length).flatMap((id) => results.get(id) ?? []);
  }

  /** The text of one bash command. */
  async bash(command: string, more: Readonly<Record<string, unknown>> = {}): Promise<CallResult> {
    const [result] = await this.run([{ tool: "bash", arguments: { command, ...more } }]);
    if (!result) throw new Error(`the model did not run ${command}`);
    return result;
  }

  get sessionId(): string {
    return this.#parts.built.agent.session.store.header.id;
  }

  get entriesText(): string {
    return JSON.stringify(this.#parts.built.agent.session.branch.entries);
  }

  /** The text of all blobs. */
  async readBlobs(): Promise<string> {
    const { blobs } = this.#parts;
    const digits = [..."0123456789abcdef"];
    const found = await Promise.all(digits.map((digit) => blobs.findByPrefix(digit)));
    const hashes = found.flatMap((result) => (result.type === "found" ? result.blobs.map(({ hash }) => hash) : []));
    const pages = await Promise.all(hashes.map((hash) => blobs.read(hash, { start: 0, end: 64 * 1024 * 1024 })));
    return pages.map((page) => (page.type === "read" ? Buffer.from(page.bytes).toString() : "")).join("\n");
  }

  /** The folder that its commands see as `/tmp`. */
  async temporaryFolder(): Promise<string> {
    const sandbox = await this.#parts.workspace.sandbox;
    if (sandbox.type !== "available") throw new Error(`no sandbox: ${sandbox.why}`);
    return sandbox.temporaryFolder;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#parts.built.close();
    await this.#parts.workspace.close();
  }
}

/** In the order of the model's reply. Calls that only read may end in another order. */
function listCallIds(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "assistant"
      ? entry.message.content.flatMap((part) => (part.type === "toolCall" ? [part.id] : []))
      : [],
  );
}

/** A user who permits everything. */
export function permitAll(questions: PermissionQuestion[] = []): AskPermission {
  return async (question) => {
    questions.push(question);
    return { type: "yes" };
  };
}
