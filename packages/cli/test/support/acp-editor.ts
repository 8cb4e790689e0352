/** Runs the program with an editor made of the protocol's own library, and records everything that the editor receives. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import {
  type ClientCapabilities,
  type ClientConnection,
  client,
  type InitializeResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type SessionNotification,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { TestProgram } from "./test-program.ts";

export interface EditorOptions {
  readonly program: TestProgram;
  readonly can?: ClientCapabilities;
  readonly args?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
}

export class Editor {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly notifications: SessionNotification[] = [];
  readonly permissionRequests: RequestPermissionRequest[] = [];
  readonly ended: Promise<number | null>;
  /** The option that is chosen, or null to leave a question. */
  answer: (request: RequestPermissionRequest) => string | null = () => "yes";
  notes = "";
  readonly #connection: ClientConnection;

  constructor({ program, args = [], variables }: EditorOptions) {
    const env = {
      ...{ PATH: process.env.PATH, HOME: program.userHome, PITH_HOME: program.home },
      ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
      ...(variables ?? { ANTHROPIC_API_KEY: "any", ANTHROPIC_BASE_URL: program.server.url }),
    };
    this.child = spawn(process.execPath, [program.bin, "--mode", "acp", ...args], {
      ...{ cwd: program.userHome, env, stdio: ["pipe", "pipe", "pipe"] },
    });
    this.child.stderr.on("data", (chunk) => {
      this.notes += chunk;
    });
    this.ended = new Promise((resolve) => this.child.on("close", resolve));
    this.#connection = client({ name: "editor" })
      .onNotification("session/update", ({ params }) => void this.notifications.push(params))
      .onRequest("session/request_permission", ({ params }) => {
        this.permissionRequests.push(params);
        const optionId = this.answer(params);
        return { outcome: optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
      })
      .connect(
        ndJsonStream(Writable.toWeb(this.child.stdin), Readable.toWeb(this.child.stdout) as ReadableStream<Uint8Array>),
      );
  }

  static async start(parts: EditorOptions): Promise<Editor & { readonly initializeResult: InitializeResponse }> {
    const editor = new Editor(parts);
    const initializeResult = await editor.agent.request("initialize", {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: parts.can ?? {},
    });
    return Object.assign(editor, { initializeResult });
  }

  get agent(): ClientConnection["agent"] {
    return this.#connection.agent;
  }

  async begin(cwd: string): Promise<string> {
    const { sessionId } = await this.agent.request("session/new", { cwd, mcpServers: [] });
    return sessionId;
  }

  async say(sessionId: string, text: string): Promise<string> {
    const { stopReason } = await this.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    return stopReason;
  }

  updates<Kind extends SessionUpdate["sessionUpdate"]>(
    kind: Kind,
    sessionId?: string,
  ): readonly Extract<SessionUpdate, { sessionUpdate: Kind }>[] {
    return this.notifications
      .filter((each) => sessionId === undefined || each.sessionId === sessionId)
      .map(({ update }) => update)
      .filter((update) => update.sessionUpdate === kind) as Extract<SessionUpdate, { sessionUpdate: Kind }>[];
  }

  /** All words of one kind, joined. */
  words(kind: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk", sessionId?: string): string {
    return this.updates(kind, sessionId)
      .map(({ content }) => (content.type === "text" ? content.text : `[${content.type}]`))
      .join("");
  }

  /** The editor is closed: nothing more can be said. */
  async leave(): Promise<number | null> {
    this.child.stdin.end();
    return await this.ended;
  }
}
