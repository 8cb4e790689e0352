/** The extension with a person beside it, and servers that are real: what a host would do with what it registers. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ExtensionApi, type ExtensionContext, type ExtensionTool, headlessUi } from "@pith/agent";
import type { McpTimeouts } from "../../src/mcp/client.ts";
import { createMcpExtension } from "../../src/mcp/mcp.ts";
import type { McpServers, Settings, StdioServer } from "../../src/settings/settings.ts";

export interface McpHostOptions {
  /** What they say; absent where nobody is there. */
  readonly answer?: boolean;
  /** Milliseconds that they think about it. */
  readonly answerDelayMs?: number;
  readonly limits?: Partial<McpTimeouts>;
  /** Variables of Pith itself, beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Settings beside the servers. */
  readonly choices?: Settings;
}

export class McpHost {
  readonly home: string = mkdtempSync(join(tmpdir(), "pith-mcp-"));
  /** The folder that is worked in. */
  readonly workspace: string = mkdtempSync(join(tmpdir(), "pith-mcp-work-"));
  readonly questions: string[] = [];
  readonly notes: string[] = [];
  #tools: ExtensionTool[] = [];
  #describeServers: (() => Promise<string>) | null = null;
  #end: () => Promise<unknown> = async () => undefined;

  /** The command of the MCP server with these behaviors. */
  serverCommand(...behaviors: readonly string[]): StdioServer {
    return testServerCommand(this.#log, behaviors);
  }

  get #log(): string {
    return join(this.home, "calc.log");
  }

  log(): string {
    return existsSync(this.#log) ? readFileSync(this.#log, "utf8") : "";
  }

  /** The program's ids, in the order of their starts. */
  listStartedPids(): readonly number[] {
    return [...this.log().matchAll(/^started (\d+)/gm)].map(([, id]) => Number(id));
  }

  async open(
    mcpServers: McpServers,
    { answer, answerDelayMs = 0, limits = {}, environment = {}, choices = {} }: McpHostOptions = {},
  ): Promise<void> {
    await this.close();
    this.#tools = [];
    const handlers = new Map<string, (event: never, context: ExtensionContext) => unknown>();
    const api = {
      registerTool: (tool: ExtensionTool) => void this.#tools.push(tool),
      on: (name: string, handler: (event: never, context: ExtensionContext) => unknown) => handlers.set(name, handler),
    };
    const place = {
      readVersion: async () => "1.0.0",
      userHome: homedir(),
      cwd: this.workspace,
      home: this.home,
      environment: { ...process.env, ...environment },
      settings: { ...choices, mcpServers },
      notify: (line: string) => void this.notes.push(line),
      onMcpStatus: (describeServers: () => Promise<string>) => {
        this.#describeServers = describeServers;
      },
    };
    await createMcpExtension(place, limits)(api as unknown as ExtensionApi);
    const select = async (title: string, options: readonly string[]): Promise<string | undefined> => {
      this.questions.push(title);
      await sleep(answerDelayMs);
      return options.find((option) => option.startsWith(answer === true ? "Yes" : "No"));
    };
    const context = { ui: { ...headlessUi, select }, hasUI: answer !== undefined };
    handlers.get("session_start")?.({} as never, context as unknown as ExtensionContext);
    this.#end = async () => handlers.get("session_shutdown")?.({} as never, context as unknown as ExtensionContext);
  }

  tool(name: string): ExtensionTool | undefined {
    return this.#tools.find((tool) => tool.name === name);
  }

  async use(
    name: "mcp_find" | "mcp_call",
    args: Readonly<Record<string, unknown>>,
    more: ToolCallOptions = {},
  ): Promise<ToolResult> {
    const { signal = new AbortController().signal, update = () => {} } = more;
    const output = await this.tool(name)?.run({ id: "1", arguments: args, signal, maxOutputBytes: 50_000, update });
    const text = (output?.content ?? []).map((block) => (block.type === "text" ? block.text : `[${block.mimeType}]`));
    return { text: text.join("\n"), isError: output?.isError === true };
  }

  /** What `/mcp` says. */
  async status(): Promise<string> {
    return (await this.#describeServers?.()) ?? "";
  }

  async close(): Promise<void> {
    await this.#end();
    this.#end = async () => undefined;
  }

  async remove(): Promise<void> {
    await this.close();
    for (const folder of [this.home, this.workspace]) rmSync(folder, { recursive: true });
  }
}

/** What every start would compile anew is kept by the first. */
export function testServerCommand(log: string, behaviors: readonly string[]): StdioServer {
  const { NODE_COMPILE_CACHE = "" } = process.env;
  const args = [join(import.meta.dirname, "servers/stdio-server.ts"), log, ...behaviors];
  // Its id would be another one in a sandbox, and its log would lie outside.
  return { command: process.execPath, args, env: { NODE_COMPILE_CACHE }, sandbox: "off" };
}

export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  readonly update?: (text: string) => void;
}

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

/** How many processes of this machine have the word in their command line. */
export function countProcessesWith(word: string): number {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").includes(word);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  }).length;
}
