/** Runs a program with sub-agents, and a server that distinguishes the requests of the parent from those of its sub-agents. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RpcClient, type RpcEvent } from "@pith/client";
import type { ScriptRequest, Step } from "@pith/testkit";
import { findBuiltProgram } from "../support/built-program.ts";
import { TestProgram } from "../support/test-program.ts";

export interface AgentScripts {
  /** The one that starts others. */
  readonly parent: (request: ScriptRequest) => Step | Promise<Step>;
  /** One of those. */
  readonly child: (request: ScriptRequest) => Step | Promise<Step>;
}

export class SubAgentProgram extends TestProgram {
  /** Starts the server; returns the variables that lead to it. */
  async serveAgents({ parent, child }: AgentScripts): Promise<Readonly<Record<string, string>>> {
    mkdirSync(join(this.home, "agents"), { recursive: true });
    writeFileSync(join(this.home, "agents", "scout.md"), SCOUT);
    const { url } = await this.serve((request) => {
      if (request.tools.length === 0) return SUMMARY;
      return isParent(request) ? parent(request) : child(request);
    });
    return { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: url };
  }

  /** A parent that another program talks to. */
  rpc(variables: Readonly<Record<string, string>>, args: readonly string[] = []): RpcClient {
    const cache = process.env.NODE_COMPILE_CACHE;
    const env = { PATH: process.env.PATH, HOME: this.userHome, PITH_HOME: this.home, ...variables };
    return RpcClient.start({
      command: process.execPath,
      args: [findBuiltProgram(), "--mode", "rpc", ...args],
      cwd: this.folder,
      env: { ...env, ...(cache && { NODE_COMPILE_CACHE: cache }) },
    });
  }

  /** Whether the session of the one with this task holds these words. */
  hasSessionText(task: string, words: string): boolean {
    const path = this.started().find((each) => each.task === task)?.path;
    return path !== undefined && readFileSync(path, "utf8").includes(words);
  }

  /** The entries of all sessions, by the name of the file. */
  sessions(): ReadonlyMap<string, readonly StoredEntry[]> {
    const names = readdirSync(join(this.home, "sessions"), { recursive: true, encoding: "utf8" });
    const files = names.filter(
      (name) => name.endsWith(".jsonl") && !name.includes(".pith") && !name.startsWith("audit"),
    );
    return new Map(files.map((name) => [name, entriesIn(readFileSync(join(this.home, "sessions", name), "utf8"))]));
  }

  /** Those of the one that is no sub-agent's. */
  parent(): readonly StoredEntry[] {
    const [, entries = []] = [...this.sessions()].find(([name]) => !name.includes("-subagent.")) ?? [];
    return entries;
  }

  /** The processes of the sub-agents, or of the one with this task. */
  children(task?: string): readonly number[] {
    const meant = this.started().filter((each) => task === undefined || each.task === task);
    const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return all.map(Number).filter((pid) => meant.some(({ path }) => commandOf(pid).includes(path)));
  }

  /** Those that the parent's log says were started. */
  started(): readonly { readonly id: string; readonly task: string; readonly path: string }[] {
    const own = this.parent().filter(({ type, customType }) => type === "custom" && customType === "subagent");
    const data = own.map(
      (entry) => entry.data as { readonly id: string; readonly task: string; readonly path?: string },
    );
    return data.flatMap(({ path, ...rest }) => (path === undefined ? [] : [{ ...rest, path }]));
  }
}

export interface StoredEntry {
  readonly type: string;
  readonly customType?: string;
  readonly [name: string]: unknown;
}

/** Resolves with the first event of this kind. */
export function waitForEvent<Type extends RpcEvent["type"]>(
  client: RpcClient,
  type: Type,
  isMatch: (event: Extract<RpcEvent, { type: Type }>) => boolean = () => true,
): Promise<Extract<RpcEvent, { type: Type }>> {
  return new Promise((resolve) => {
    const stop = client.listen((event) => {
      if (event.type !== type || !isMatch(event as Extract<RpcEvent, { type: Type }>)) return;
      stop();
      resolve(event as Extract<RpcEvent, { type: Type }>);
    });
  });
}

export function callSubAgent(given: Readonly<Record<string, unknown>>): Step {
  return { parts: [{ type: "call", name: "subagent", arguments: given }] };
}

export const bodyOf = ({ body }: ScriptRequest): string => JSON.stringify(body);

function isParent({ tools }: ScriptRequest): boolean {
  return tools.includes("subagent");
}

function entriesIn(text: string): readonly StoredEntry[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as StoredEntry);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended meanwhile.
    return "";
  }
}

const SUMMARY =
  "## Goal\n- fix it [#1]\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n### In Progress\n- [ ] the work [#2]\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on\n\n## Critical Context\n- (none)";

const SCOUT = "---\nname: scout\ndescription: Looks around\ntools: read, write, bash\n---\nYou are a scout.\n";

/** No test here runs a command, and what could hold one takes time to find. */
export const NO_SANDBOX: readonly string[] = ["--sandbox", "off"];

export function tasks(count: number): readonly { readonly agent: string; readonly task: string }[] {
  return Array.from({ length: count }, (_, at) => ({ agent: "scout", task: `Task ${at}.` }));
}

export const taskOf = (text: string): string => /Task \d\./.exec(text)?.[0] ?? "";

export function countIn(text: string, part: string): number {
  return text.split(part).length - 1;
}
