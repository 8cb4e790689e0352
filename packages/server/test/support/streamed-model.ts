/** A model whose replies the test writes piece by piece, with the protocol of Anthropic. */

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A model that waits for the test. */
export interface StreamedModel {
  readonly url: string;
  /** Resolves with the next reply that an agent asked for. */
  next(): Promise<StreamedReply>;
  /** Ends all replies, and from now on each at once, so that workers can stop. */
  finish(): void;
}

export async function startStreamedModel(): Promise<StreamedModel> {
  const replies: StreamedReply[] = [];
  const takers: ((reply: StreamedReply) => void)[] = [];
  const open = new Set<StreamedReply>();
  let isFinished = false;
  const server = createServer((request, response) => {
    request.resume();
    request.once("end", () => {
      const reply = new StreamedReply(response);
      open.add(reply);
      response.once("close", () => open.delete(reply));
      if (isFinished) return reply.end();
      const take = takers.shift();
      if (take) take(reply);
      else replies.push(reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    finish: () => {
      isFinished = true;
      for (const reply of open) reply.end();
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => {
      const reply = replies.shift();
      return reply ? Promise.resolve(reply) : new Promise((resolve) => takers.push(resolve));
    },
  };
}

type BlockKind = "text" | "thinking" | "tool_use";

export class StreamedReply {
  readonly #response: ServerResponse;
  #index = -1;
  #kind: BlockKind | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const message = { id: "msg", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [] };
    this.#send("message_start", { message: { ...message, stop_reason: null, usage: USAGE } });
  }

  write(text: string): void {
    this.#open("text", { type: "text", text: "" });
    this.#sendDelta({ type: "text_delta", text });
  }

  think(thinking: string): void {
    this.#open("thinking", { type: "thinking", thinking: "", signature: "" });
    this.#sendDelta({ type: "thinking_delta", thinking });
  }

  /** A call whose arguments come in pieces. */
  call(name: string, pieces: readonly string[]): void {
    this.#open("tool_use", { type: "tool_use", id: `toolu_${this.#index}`, name, input: {} });
    for (const partial_json of pieces) this.#sendDelta({ type: "input_json_delta", partial_json });
  }

  end(): void {
    const isCall = this.#kind === "tool_use";
    this.#close();
    const delta = { stop_reason: isCall ? "tool_use" : "end_turn", stop_sequence: null };
    this.#send("message_delta", { delta, usage: { ...USAGE, output_tokens: 10 } });
    this.#send("message_stop", {});
    this.#response.end();
  }

  /** Breaks the connection. */
  cut(): void {
    this.#response.destroy();
  }

  #open(kind: BlockKind, block: object): void {
    if (this.#kind === kind && kind !== "tool_use") return;
    this.#close();
    this.#kind = kind;
    this.#index += 1;
    this.#send("content_block_start", { index: this.#index, content_block: block });
  }

  #close(): void {
    if (this.#kind !== null) this.#send("content_block_stop", { index: this.#index });
    this.#kind = null;
  }

  #sendDelta(delta: object): void {
    this.#send("content_block_delta", { index: this.#index, delta });
  }

  #send(type: string, data: object): void {
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }
}

const USAGE = { input_tokens: 10, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 1 };
