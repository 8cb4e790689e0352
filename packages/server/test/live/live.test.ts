/** Following sessions: text beside the log, without gaps and without repetitions, whatever is lost on the way. */

import type { Tool } from "@pith/agent";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { Client as PostgresClient } from "pg";
import { expect, onTestFinished, test } from "vitest";
import {
  acceptMessage,
  eraseSession,
  type LiveFeed,
  type LiveFeedOptions,
  type LivePublisher,
  openLiveFeed,
  openLivePublisher,
  setTenantLimits,
} from "../../src/index.ts";
import { type LiveItem, packItems, unpackItems } from "../../src/live/live-items.ts";
import type { SessionRef } from "../../src/store/postgres-store.ts";
import { APPLICATION } from "../support/cluster.ts";
import { OTHER_TENANT, requireSession, TENANT } from "../support/database.ts";
import { follow } from "../support/follow.ts";
import { startProxy } from "../support/proxy.ts";
import { Service } from "../support/run-sessions.ts";
import { type StreamedModel, startStreamedModel } from "../support/streamed-model.ts";
import { useDatabase } from "../support/use-database.ts";

const postgres = useDatabase();

const connectionString = (port = postgres.cluster.port): string => `postgresql://${APPLICATION}@127.0.0.1:${port}/pith`;
const prompt = (id: string) => ({ id, kind: "followUp", content: "Hello." }) as const;
/** Longer than any test, so that nothing is found by looking. */
const NEVER_MS = 2 ** 30;

interface Parts {
  readonly feed: LiveFeed;
  readonly live: LivePublisher;
  readonly model: StreamedModel;
  readonly service: Service;
  readonly session: SessionRef;
  readonly errors: unknown[];
}

interface PartOptions extends Partial<LiveFeedOptions> {
  readonly tools?: readonly Tool[];
  /** The port of PostgreSQL for the worker's connection. */
  readonly livePort?: number;
}

/** A session, a worker that sends its text, and a feed. */
async function startParts(id: string, { tools = [], livePort, ...options }: PartOptions = {}): Promise<Parts> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const { database } = postgres;
  const feed = await openLiveFeed({
    ...{ connectionString: connectionString(), database, onError, lookMs: NEVER_MS },
    ...options,
  });
  onTestFinished(() => feed.close());
  const live = await openLivePublisher({ connectionString: connectionString(livePort), onError, tickMs: 10 });
  onTestFinished(() => live.close());
  const model = await startStreamedModel();
  const service = new Service(database, model, { tools });
  await service.create(id);
  await service.startWorker(`w-${id}`, { live });
  // A worker that stops waits for its replies.
  onTestFinished(() => model.finish());
  return { feed, live, model, service, session: await findSession(id), errors };
}

async function findSession(id: string, tenant = TENANT): Promise<SessionRef> {
  return (await requireSession(postgres.database, tenant, { id, mode: "read" })).session;
}

async function useProxy() {
  const proxy = await startProxy(postgres.cluster.port);
  onTestFinished(() => proxy.close());
  return proxy;
}

test("HLIVE2 a client sees every entry once and in order, and between them the text as it is written", async () => {
  const { feed, model, service, session } = await startParts("whole");
  const client = follow(feed, session);
  await expect.poll(() => client.states).toEqual(["idle 0"]);
  await service.send("whole", prompt("m1"));
  const reply = await model.next();
  reply.think("Hm. ");
  reply.write("One ");
  await expect.poll(() => client.text).toBe("Hm. |One ");
  reply.write("two ");
  await expect.poll(() => client.text).toBe("Hm. |One two ");
  expect(client.reply?.parts.map(({ kind }) => kind)).toEqual(["thinking", "text"]);
  reply.write("three.");
  reply.end();
  await expect.poll(() => client.replies).toEqual(["One two three."]);
  await expect.poll(() => client.states).toEqual(["idle 0", "busy 0", "idle 0"]);
  expect(client.seqs).toEqual(client.seqs.map((_, index) => index));
  expect(client.problems).toEqual([]);
  const late = follow(feed, session, client.seqs.at(-2));
  await expect.poll(() => late.seqs).toEqual(client.seqs.slice(-1));
  expect(late.deltas).toEqual([]);
});

test("HLIVE2 calls of tools appear with their names and arguments, and the next reply follows the entries before it", async () => {
  const note: Tool = {
    ...{ name: "note", description: "Notes.", parameters: { type: "object" }, isIdempotent: true },
    run: async () => ({ content: [{ type: "text", text: "noted" }] }),
  };
  const { feed, model, service, session } = await startParts("calls", { tools: [note] });
  const client = follow(feed, session);
  await service.send("calls", prompt("m1"));
  const first = await model.next();
  first.write("Look:");
  first.call("note", ['{"line"', ':"a stone"}']);
  await expect.poll(() => client.text).toBe('Look:|{"line":"a stone"}');
  expect(client.reply?.parts[1]).toMatchObject({ kind: "toolCall", call: { name: "note" } });
  first.end();
  const second = await model.next();
  second.write("Done.");
  await expect.poll(() => client.text).toBe("Done.");
  const entries = client.events.flatMap((event) =>
    event.type === "entry" && event.entry.type === "message" ? [event.entry.message.role] : [],
  );
  expect(entries.slice(-2)).toEqual(["assistant", "toolResult"]);
  second.end();
  await expect.poll(() => client.replies).toHaveLength(2);
  expect(client.problems).toEqual([]);
});

test("HLIVE2 deltas that come after their entry, from an older worker or without what is before them are dropped", async () => {
  const { feed, model, service, session } = await startParts("late");
  const client = follow(feed, session);
  await service.send("late", prompt("m1"));
  const reply = await model.next();
  reply.write("Done.");
  reply.end();
  await expect.poll(() => client.replies).toEqual(["Done."]);
  await expect.poll(() => client.states.at(-1)).toBe("idle 0");
  const entry = client.events.findLast((event) => event.type === "entry" && event.entry.type === "message");
  const id = entry?.type === "entry" ? entry.entry.id : "";
  const resumed = follow(feed, session, client.seqs.at(-1));
  await expect.poll(() => resumed.states).toEqual(["idle 0"]);
  const before = client.deltas.length;
  const delta: LiveItem = {
    type: "delta",
    key: session.key,
    isRepeat: false,
    reply: "next",
    holder: "99",
    part: 0,
    kind: "text",
    offset: 0,
    text: "Shown.",
  };
  const items: readonly LiveItem[] = [
    { ...delta, reply: id, text: "After the entry." },
    { ...delta, holder: "1", text: "Older." },
    { ...delta, offset: 3, text: "Without a beginning." },
    delta,
    { ...delta, offset: 9, text: "After a gap." },
  ];
  for (const payload of packItems(items))
    await postgres.database.pool.query("select pg_notify('pith_live', $1)", [payload]);
  for (const each of [client, resumed]) await expect.poll(() => each.text).toBe("Shown.");
  expect(client.deltas.slice(before).map(({ text }) => text)).toEqual(["Shown."]);
  expect(resumed.deltas.map(({ text }) => text)).toEqual(["Shown."]);
});

test("HLIVE3 a client that joins in the middle of a reply gets it from its beginning, and others get nothing twice", async () => {
  const { feed, model, service, session } = await startParts("joined");
  const early = follow(feed, session);
  await service.send("joined", prompt("m1"));
  const reply = await model.next();
  const text = "A long beginning. ".repeat(1_000);
  reply.write(text);
  await expect.poll(() => early.text).toBe(text);
  const late = follow(feed, session);
  await expect.poll(() => late.text).toBe(text);
  reply.write("And more.");
  for (const client of [early, late]) {
    await expect.poll(() => client.text).toBe(`${text}And more.`);
    expect(client.problems).toEqual([]);
  }
  expect(early.deltas.map(({ text: piece }) => piece).join("")).toBe(`${text}And more.`);
});

test("HLIVE3 a reply that is begun anew after a broken connection is shown from its new beginning", async () => {
  const { feed, model, service, session } = await startParts("again");
  const client = follow(feed, session);
  await service.send("again", prompt("m1"));
  const broken = await model.next();
  broken.write("This is lost");
  await expect.poll(() => client.text).toBe("This is lost");
  broken.cut();
  const reply = await model.next();
  await expect.poll(() => client.text).toBe("");
  reply.write("This");
  await expect.poll(() => client.text).toBe("This");
  reply.write(" stays.");
  reply.end();
  await expect.poll(() => client.replies).toEqual(["This stays."]);
  expect(client.problems).toEqual([]);
});

test("HLIVE4 while the connection that hears the workers is lost, entries are found by looking; afterwards text is whole again", async () => {
  const proxy = await useProxy();
  const { feed, model, service, session, errors } = await startParts("deaf", {
    ...{ connectionString: connectionString(proxy.port), lookMs: 50 },
  });
  const client = follow(feed, session);
  await service.send("deaf", prompt("m1"));
  const first = await model.next();
  first.write("Heard.");
  await expect.poll(() => client.text).toBe("Heard.");
  proxy.swallowAnswers();
  first.write(" Not heard.");
  first.end();
  await expect.poll(() => client.replies).toEqual(["Heard. Not heard."]);
  await service.send("deaf", prompt("m2"));
  const second = await model.next();
  second.write("The beginning");
  await expect.poll(() => client.states.at(-1)).toBe("busy 0");
  proxy.passAnswers();
  await expect.poll(() => client.text).toBe("The beginning");
  second.write(" and the end.");
  await expect.poll(() => client.text).toBe("The beginning and the end.");
  second.end();
  await expect.poll(() => client.replies).toHaveLength(2);
  expect(client.problems).toEqual([]);
  expect(errors).not.toEqual([]);
});

test("HLIVE4 after the connection broke, entries are read again at once", async () => {
  const proxy = await useProxy();
  const { feed, model, service, session } = await startParts("broken", {
    connectionString: connectionString(proxy.port),
  });
  const client = follow(feed, session);
  await expect.poll(() => client.states).toEqual(["idle 0"]);
  proxy.swallowAnswers();
  await service.send("broken", prompt("m1"));
  const reply = await model.next();
  reply.write("Unheard.");
  reply.end();
  await expect.poll(async () => (await readState(session))[0]?.status).toBe("idle");
  expect(client.seqs).toEqual([]);
  proxy.passAnswers();
  await expect.poll(() => client.replies).toEqual(["Unheard."]);
});

async function readState({ tenant, key }: SessionRef): Promise<readonly { readonly status: string }[]> {
  return await postgres.database.readRows("read_state", [tenant, key]);
}

test("HLIVE5 a run does not wait for the connection that sends its text, and the text is whole when it is back", async () => {
  const proxy = await useProxy();
  const { feed, model, service, session } = await startParts("mute", { livePort: proxy.port, lookMs: 50 });
  const client = follow(feed, session);
  await service.send("mute", prompt("m1"));
  const first = await model.next();
  first.write("Said.");
  await expect.poll(() => client.text).toBe("Said.");
  proxy.swallowAnswers();
  first.write(" Not said.");
  first.end();
  await expect.poll(() => client.replies).toEqual(["Said. Not said."]);
  await service.send("mute", prompt("m2"));
  const second = await model.next();
  second.write("Kept back,");
  proxy.passAnswers();
  await expect.poll(() => client.text).toBe("Kept back,");
  second.write(" and said.");
  await expect.poll(() => client.text).toBe("Kept back, and said.");
  second.end();
  await expect.poll(() => client.replies).toHaveLength(2);
  expect(client.problems).toEqual([]);
});

test("HLIVE6 for a client that reads slowly little is kept; it gets the reply from its beginning when it goes on", async () => {
  const { feed, model, service, session } = await startParts("slow");
  const [slow, quick] = [follow(feed, session), follow(feed, session)];
  await service.send("slow", prompt("m1"));
  const reply = await model.next();
  reply.write("Begin. ");
  await expect.poll(() => slow.text).toBe("Begin. ");
  const goOn = slow.pause();
  let text = "Begin. ";
  // The first of these is read and then paused at; the rest waits until it is too much.
  for (const piece of ["Paused. ", ...Array.from({ length: 12 }, (_, index) => `${index} `.repeat(10_000))]) {
    text += piece;
    reply.write(piece);
    await expect.poll(() => quick.text.length).toBe(text.length);
  }
  goOn();
  await expect.poll(() => slow.text.length).toBe(text.length);
  expect(slow.text).toBe(text);
  expect(slow.problems).toEqual([]);
  expect(slow.deltas.filter(({ offset }) => offset === 0)).toHaveLength(2);
  expect(quick.deltas.filter(({ offset }) => offset === 0)).toHaveLength(1);
  reply.end();
  await expect.poll(() => slow.replies).toEqual([text]);
});

test("HLIVE7 who follows with the key of another tenant's session sees nothing, and an erased session ends", async () => {
  const { feed, model, service, session } = await startParts("secret", { lookMs: 50 });
  const own = follow(feed, session);
  const other = follow(feed, { tenant: OTHER_TENANT, key: session.key });
  await expect.poll(() => other.hasEnded).toBe(true);
  await service.send("secret", prompt("m1"));
  const reply = await model.next();
  reply.write("A secret.");
  await expect.poll(() => own.text).toBe("A secret.");
  reply.end();
  await expect.poll(() => own.states.at(-1)).toBe("idle 0");
  expect(other.events).toEqual([]);
  await eraseSession(postgres.database, TENANT, "secret");
  await expect.poll(() => own.hasEnded).toBe(true);
});

test("HLIVE10 the state is the first event, and is sent again when it changes: at a message, a start and an end", async () => {
  const { feed, model, service } = await startParts("states");
  const tenant = "44444444-4444-4444-8444-444444444444";
  const inbox = { database: postgres.database, wake: service.queue.createWake(), live: feed };
  await setTenantLimits(postgres.database, tenant, { maxRuns: 1 });
  for (const id of ["runs", "waits"]) await service.create(id, tenant);
  const follows = async (id: string) => follow(feed, await findSession(id, tenant));
  const [runs, waits] = [await follows("runs"), await follows("waits")];
  for (const client of [runs, waits]) await expect.poll(() => client.states).toEqual(["idle 0"]);
  const send = (session: string) => acceptMessage(inbox, tenant, { session, message: prompt("m1") });
  await send("runs");
  const reply = await model.next();
  await expect.poll(() => runs.states).toEqual(["idle 0", "busy 0"]);
  await send("waits");
  await expect.poll(() => waits.states).toEqual(["idle 0", "waiting 0"]);
  reply.write("Done.");
  reply.end();
  await expect.poll(() => runs.states).toEqual(["idle 0", "busy 0", "idle 0"]);
  const next = await model.next();
  await expect.poll(() => waits.states).toEqual(["idle 0", "waiting 0", "busy 0"]);
  next.end();
  await expect.poll(() => waits.states.at(-1)).toBe("idle 0");
});

test("HLIVE8 what many sessions write in a tick is sent in few notifications", async () => {
  const { live } = await startParts("many");
  const listener = new PostgresClient({ connectionString: connectionString() });
  await listener.connect();
  onTestFinished(() => listener.end());
  const payloads: string[] = [];
  listener.on("notification", ({ payload = "" }) => payloads.push(payload));
  await listener.query("listen pith_live");
  const sessions = Array.from({ length: 100 }, (_, index) =>
    live.listen({ tenant: TENANT, key: `${1_000 + index}` }, "1"),
  );
  for (const { onEvent } of sessions) {
    void onEvent({ type: "message_start", message: { role: "user", content: "", timestamp: 0 }, replyId: "r" });
    for (const text of ["a", "b", "c"])
      void onEvent({ type: "message_update", delta: { type: "text-delta", text }, replyId: "r" });
  }
  const readDeltas = () => payloads.flatMap(unpackItems).filter(({ type }) => type === "delta");
  await expect.poll(readDeltas).toHaveLength(100);
  expect(readDeltas()[99]).toMatchObject({ key: "1099", holder: "1", reply: "r", part: 0, offset: 0, text: "abc" });
  expect(payloads.length).toBeLessThanOrEqual(2);
});

test("HLIVE6 long entries come one after another in pages of limited size, each once", async () => {
  const { feed, session } = await startParts("pages");
  const store = await requireSession(postgres.database, TENANT, { id: "pages", mode: "write" });
  const log = await Session.open(store, nodeRuntime);
  const sizes = [300_000, 10, 100_000, 100_000, 100_000, 10, 600_000, ...Array.from({ length: 60 }, () => 10)];
  for (const size of sizes) await log.append({ type: "custom", customType: "test", data: "x".repeat(size) });
  const first = await postgres.database.readRows<{ has_more: boolean }>("read_page", [
    ...[TENANT, session.key, 0, 50, 256 * 1024],
  ]);
  expect(first.map(({ has_more: hasMore }) => hasMore)).toEqual([true]);
  const client = follow(feed, session);
  await expect.poll(() => client.seqs.length).toBe(sizes.length);
  expect(client.seqs).toEqual(sizes.map((_, seq) => seq));
});
