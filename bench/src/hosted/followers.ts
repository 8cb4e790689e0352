/** Follows sessions over HTTP in a process of its own, for `pnpm bench hosted`: one client for each session, which checks every piece of text. */

import { createHash } from "node:crypto";
import { get } from "node:http";
import { createHistogram } from "node:perf_hooks";
import { addDelta, type LiveEvent, type ReplyText } from "@pith/server";
import { nowMs } from "./clock.ts";

/** The sessions to follow: all at once. */
export interface FollowRequest {
  readonly sessions: readonly FollowedSession[];
}

interface FollowedSession {
  readonly id: string;
  /** Of its events. */
  readonly url: string;
  readonly token: string;
}

/** `following`: all are connected. `ended`: every session has its reply as an entry. */
export type FollowersMessage =
  | { readonly type: "following" }
  | ({ readonly type: "ended" } & FollowersResult)
  | { readonly type: "error"; readonly message: string };

export interface FollowersResult {
  /** When the first text of each session came. */
  readonly firstTexts: readonly (readonly [sessionId: string, timeMs: number])[];
  /** The sessions whose text was exactly what was sent. */
  readonly exact: number;
  /** Between the model server and the client, in milliseconds. */
  readonly delayP50: number;
  readonly delayP95: number;
  readonly delayP99: number;
  /** Pieces of text, each with the time when it was sent. */
  readonly pieces: number;
}

const delays = createHistogram();

/** What one client has seen. */
class Client {
  firstTextMs: number | null = null;
  isExact = false;
  #reply: ReplyText | null = null;
  /** How much of the text was looked at. */
  #checkedLength = 0;
  #hasGap = false;

  /** Returns whether the reply is complete. */
  add(event: LiveEvent): boolean {
    if (event.type === "delta") {
      const next = addDelta(this.#reply, event);
      if (next === "gap") this.#hasGap = true;
      else this.#reply = next;
      this.#check(this.#reply?.parts[0]?.text ?? "");
    } else if (event.type === "entry") {
      const { entry } = event;
      if (entry.type !== "message" || entry.message.role !== "assistant") return false;
      const text = entry.message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
      const shown = this.#reply?.parts[0]?.text ?? "";
      this.#check(text);
      this.isExact = !this.#hasGap && shown !== "" && text.startsWith(shown) && isComplete(text);
      return true;
    }
    return false;
  }

  /** Each line has its number and the time when it was sent. */
  #check(text: string): void {
    const timeMs = nowMs();
    if (text !== "") this.firstTextMs ??= timeMs;
    for (let end = text.indexOf("\n", this.#checkedLength); end >= 0; end = text.indexOf("\n", this.#checkedLength)) {
      const [, sentMs] = text.slice(this.#checkedLength, end).split(" ");
      delays.record(Math.max(1, Math.round((timeMs - Number(sentMs)) * 1000)));
      this.#checkedLength = end + 1;
    }
  }
}

/** The last line has the number of those before it, and their hash. */
function isComplete(text: string): boolean {
  const start = text.lastIndexOf("\n") + 1;
  const body = text.slice(0, start);
  const lines = body.split("\n").slice(0, -1);
  const isInOrder = lines.every((line, index) => line.startsWith(`${index} `));
  return isInOrder && text.slice(start) === `end ${lines.length} ${createHash("sha1").update(body).digest("hex")}`;
}

/** Resolves `connected` with the first event, and `ended` when the reply is complete. */
function followSession({ url, token }: FollowedSession, client: Client) {
  const headers = { authorization: `Bearer ${token}` };
  const connected = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const fail = (error: Error): void => {
    connected.reject(error);
    ended.reject(error);
  };
  const request = get(url, { agent: false, headers }, (response) => {
    let rest = "";
    response.setEncoding("utf8").on("data", (chunk: string) => {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const event of blocks.flatMap(parseEvent)) {
        connected.resolve();
        if (!client.add(event)) continue;
        ended.resolve();
        request.destroy();
      }
    });
    response.on("error", fail);
    response.on("end", () => fail(new Error(`${url} ended with status ${response.statusCode}`)));
  });
  request.on("error", fail);
  return { connected: connected.promise, ended: ended.promise };
}

function parseEvent(block: string): readonly LiveEvent[] {
  const type = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return type === undefined || data === undefined ? [] : [{ type, ...JSON.parse(data) } as LiveEvent];
}

async function followAll({ sessions }: FollowRequest): Promise<void> {
  const clients = new Map(sessions.map(({ id }) => [id, new Client()]));
  const streams = sessions.map((session) => followSession(session, clients.get(session.id) ?? new Client()));
  const ended = Promise.all(streams.map((stream) => stream.ended));
  ended.catch(() => {});
  await Promise.all(streams.map(({ connected }) => connected));
  send({ type: "following" });
  await ended;
  const percentile = (percent: number): number => delays.percentile(percent) / 1000;
  send({
    type: "ended",
    firstTexts: [...clients].flatMap(([id, { firstTextMs }]) =>
      firstTextMs === null ? [] : [[id, firstTextMs] as const],
    ),
    exact: [...clients.values()].filter(({ isExact }) => isExact).length,
    ...{ delayP50: percentile(50), delayP95: percentile(95), delayP99: percentile(99), pieces: delays.count },
  });
  delays.reset();
}

function send(message: FollowersMessage): void {
  process.send?.(message);
}

// The process ends with the bench.
if (import.meta.main) {
  process.once("disconnect", () => process.exit());
  process.on("message", (request: FollowRequest) => {
    followAll(request).catch((error: unknown) => send({ type: "error", message: String(error) }));
  });
}
