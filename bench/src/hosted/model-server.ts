/** Runs the model server of `pnpm bench hosted` in a process of its own. One timer writes to all open replies, so that thousands of them cost little. */

import { createHash, type Hash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { nowMs } from "./clock.ts";
import { KIND_LIST, type SessionKind, TOOL_ROUNDS } from "./session-kinds.ts";

/** How the server streams a long reply. */
export interface StreamPace {
  readonly replySeconds: number;
  readonly deltasPerSecond: number;
}

/** `finish` ends the streamed replies. `hang`: from now on, requests of kind `hang` wait for `answer`. */
export type ModelServerRequest = { readonly type: "finish" | "hang" | "answer" };

/** A reply that is being streamed. */
interface OpenReply {
  readonly response: ServerResponse;
  readonly hash: Hash;
  sentCount: number;
}

const TICK_MS = 25;
const USAGE = { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 1 };

/** Streams long replies. A delta is a line with its number and the time when it was sent; the last one has their count and their hash. */
class ReplyStreamer {
  readonly #slots: readonly Set<OpenReply>[];
  readonly #deltaCount: number;
  #tick = 0;

  constructor({ replySeconds, deltasPerSecond }: StreamPace) {
    const slotCount = Math.max(1, Math.round(1000 / deltasPerSecond / TICK_MS));
    this.#slots = Array.from({ length: slotCount }, () => new Set());
    this.#deltaCount = Math.max(1, Math.round(replySeconds * deltasPerSecond));
    setInterval(() => this.#writeTick(), TICK_MS);
  }

  /** The first delta is sent at once, the others when it is the turn of their slot. */
  add(response: ServerResponse): void {
    const reply: OpenReply = { response, hash: createHash("sha1"), sentCount: 0 };
    startReply(response);
    response.write(formatEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
    this.#writeDelta(reply);
    const slot = this.#slots[this.#tick % this.#slots.length];
    slot?.add(reply);
    response.once("close", () => slot?.delete(reply));
  }

  finish(): void {
    for (const slot of this.#slots) for (const reply of slot) this.#finishReply(reply, slot);
  }

  #writeTick(): void {
    this.#tick += 1;
    const slot = this.#slots[this.#tick % this.#slots.length];
    for (const reply of slot ?? [])
      if (reply.sentCount < this.#deltaCount) this.#writeDelta(reply);
      else this.#finishReply(reply, slot);
  }

  #writeDelta(reply: OpenReply): void {
    const text = `${reply.sentCount} ${nowMs().toFixed(1)}\n`;
    reply.sentCount += 1;
    reply.hash.update(text);
    reply.response.write(formatTextDelta(text));
  }

  #finishReply(reply: OpenReply, slot: Set<OpenReply> | undefined): void {
    slot?.delete(reply);
    reply.response.write(formatTextDelta(`end ${reply.sentCount} ${reply.hash.digest("hex")}`));
    reply.response.write(formatEvent("content_block_stop", { index: 0 }));
    endReply(reply.response, "end_turn");
  }
}

interface AnsweredRequest {
  readonly kind: SessionKind;
  readonly body: string;
  readonly response: ServerResponse;
  readonly streamer: ReplyStreamer;
  readonly hanging: HangingRequests;
}

class HangingRequests {
  #responses: ServerResponse[] | null = null;

  hang(): void {
    this.#responses ??= [];
  }

  add(response: ServerResponse): void {
    if (this.#responses) this.#responses.push(response);
    else sendText(response, SUMMARY);
  }

  answer(): void {
    const responses = this.#responses ?? [];
    this.#responses = null;
    for (const response of responses) sendText(response, SUMMARY);
  }
}

/** What a request of a session of this kind is answered with. */
function answer({ kind, body, response, streamer, hanging }: AnsweredRequest): void {
  switch (kind) {
    case "stream":
      streamer.add(response);
      break;
    case "hang":
      hanging.add(response);
      break;
    case "large":
      sendText(response, SUMMARY);
      break;
    case "calls": {
      const round = body.split('"tool_result"').length - 1;
      if (round < TOOL_ROUNDS) sendCall(response, round);
      else sendText(response, "All is noted.");
    }
  }
}

const SUMMARY = `## Goal
- survey the stones

## Constraints & Preferences
- (none)

## Progress
### Done
- [x] (none)

### In Progress
- [ ] the survey

### Blocked
- (none)

## Key Decisions
- (none)

## Next Steps
1. measure the next stone

## Critical Context
- (none)`;

function sendText(response: ServerResponse, text: string): void {
  startReply(response);
  response.write(formatEvent("content_block_start", { index: 0, content_block: { type: "text", text: "" } }));
  response.write(formatTextDelta(text));
  response.write(formatEvent("content_block_stop", { index: 0 }));
  endReply(response, "end_turn");
}

function sendCall(response: ServerResponse, round: number): void {
  startReply(response);
  const block = { type: "tool_use", id: `toolu_${round}`, name: "note", input: {} };
  response.write(formatEvent("content_block_start", { index: 0, content_block: block }));
  const delta = { type: "input_json_delta", partial_json: JSON.stringify({ line: `stone ${round}` }) };
  response.write(formatEvent("content_block_delta", { index: 0, delta }));
  response.write(formatEvent("content_block_stop", { index: 0 }));
  endReply(response, "tool_use");
}

function startReply(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const message = { id: "msg", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [] };
  response.write(formatEvent("message_start", { message: { ...message, stop_reason: null, usage: USAGE } }));
}

function endReply(response: ServerResponse, reason: string): void {
  const delta = { stop_reason: reason, stop_sequence: null };
  response.write(formatEvent("message_delta", { delta, usage: { ...USAGE, output_tokens: 100 } }));
  response.end(formatEvent("message_stop", {}));
}

function formatTextDelta(text: string): string {
  return formatEvent("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
}

function formatEvent(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

// The options are the first argument. The bench learns the address, and when this process ends with it.
if (import.meta.main) {
  const streamer = new ReplyStreamer(JSON.parse(process.argv[2] ?? "") as StreamPace);
  const hanging = new HangingRequests();
  const server = createServer((request, response) => {
    const kind = KIND_LIST.find((each) => request.url?.startsWith(`/${each}/`));
    void readBody(request).then(
      (body) => (kind ? answer({ kind, body, response, streamer, hanging }) : response.writeHead(404).end()),
      () => response.destroy(),
    );
  });
  server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  process.on("message", (request: ModelServerRequest) => {
    if (request.type === "finish") streamer.finish();
    else hanging[request.type]();
  });
  process.once("disconnect", () => process.exit());
}
