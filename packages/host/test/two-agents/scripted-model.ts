/** A scripted model server for one tenant: makes all calls of a prompt in one reply, and records what the tenant sends to it. */

import { createServer, type IncomingHttpHeaders, request as openRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type ScriptRequest, type Step, startServer, type TestServer } from "@pith/testkit";

export interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

interface Message {
  readonly role: string;
  readonly content: unknown;
}

export class ScriptedModel {
  readonly headers: IncomingHttpHeaders[] = [];
  readonly #plans = new Map<string, readonly Call[]>();
  readonly #server: TestServer;
  readonly #front: Server;

  private constructor(server: TestServer, front: Server) {
    this.#server = server;
    this.#front = front;
  }

  static async open(): Promise<ScriptedModel> {
    const script = (request: ScriptRequest): Step => model.#reply(request);
    const server = await startServer({ script });
    // The test server does not record headers.
    const front = createServer((incoming, response) => {
      const { method = "GET", headers, url = "/" } = incoming;
      model.headers.push(headers);
      const outgoing = openRequest(new URL(url, server.url), { method, headers }, (reply) => {
        response.writeHead(reply.statusCode ?? 500, reply.headers);
        reply.pipe(response);
      });
      outgoing.on("error", () => response.destroy());
      incoming.pipe(outgoing);
    });
    const model = new ScriptedModel(server, front);
    await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#front.address() as AddressInfo).port}/v1`;
  }

  /** What was sent to the model, as text. */
  get sentText(): string {
    return JSON.stringify([this.#server.requests.map(({ body }) => body), this.headers]);
  }

  /** The prompt on which the model makes these calls. */
  plan(calls: readonly Call[], words: string): string {
    const id = `RUN ${this.#plans.size + 1}.`;
    this.#plans.set(id, calls);
    return `${id} ${words}`;
  }

  async close(): Promise<void> {
    this.#front.closeAllConnections();
    this.#front.close();
    await this.#server.close();
  }

  #reply({ body }: ScriptRequest): Step {
    const messages = body.messages as readonly Message[];
    const start = messages.findLastIndex((message) => readRunId(message) !== null);
    const [prompt] = messages.slice(start);
    const calls = this.#plans.get((prompt && readRunId(prompt)) ?? "") ?? [];
    const replies = messages.slice(start + 1).filter(({ role }) => role === "assistant").length;
    if (replies > 0 || calls.length === 0) return "Done.";
    return { parts: calls.map((call) => ({ type: "call", name: call.tool, arguments: call.arguments })) };
  }
}

/** A tool result that repeats the prompt does not count. */
function readRunId({ role, content }: Message): string | null {
  if (role !== "user") return null;
  const blocks = Array.isArray(content) ? (content as readonly { type: string; text?: string }[]) : [];
  const text =
    typeof content === "string"
      ? content
      : blocks.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("\n");
  return /^RUN \d+\./m.exec(text)?.[0] ?? null;
}
