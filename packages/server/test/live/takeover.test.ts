/** What clients see when the worker of a session is killed or stopped in the middle of a reply, and another one takes over. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Client as PostgresClient } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type LiveFeed, openLiveFeed } from "../../src/index.ts";
import { unpackItems } from "../../src/live/live-items.ts";
import type { SessionRef } from "../../src/store/postgres-store.ts";
import { APPLICATION } from "../support/cluster.ts";
import { requireSession, TENANT } from "../support/database.ts";
import { follow } from "../support/follow.ts";
import { INTERVALS, Service } from "../support/run-sessions.ts";
import { type StreamedModel, startStreamedModel } from "../support/streamed-model.ts";
import { useDatabase } from "../support/use-database.ts";
import type { LiveWorkerOptions } from "./worker.ts";

const postgres = useDatabase();

const connectionString = (): string => `postgresql://${APPLICATION}@127.0.0.1:${postgres.cluster.port}/pith`;

interface Parts {
  readonly feed: LiveFeed;
  readonly model: StreamedModel;
  readonly session: SessionRef;
  /** Starts a worker in a process of its own. */
  readonly startProcess: (id: string) => Promise<ChildProcess>;
}

/** A session with a message that waits for a worker. */
async function startParts(id: string): Promise<Parts> {
  const { database } = postgres;
  const feed = await openLiveFeed({ connectionString: connectionString(), database, onError: () => {} });
  onTestFinished(() => feed.close());
  const model = await startStreamedModel();
  const service = new Service(database, model);
  await service.create(id);
  await service.send(id, { id: "m1", kind: "followUp", content: "Hello." });
  const { session } = await requireSession(database, TENANT, { id, mode: "read" });
  const startProcess = async (worker: string): Promise<ChildProcess> => {
    const options: LiveWorkerOptions = {
      ...{ id: worker, connectionString: connectionString(), modelUrl: model.url, intervals: INTERVALS },
    };
    const child = fork(join(import.meta.dirname, "worker.ts"), [JSON.stringify(options)]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child, "message");
    return child;
  };
  return { feed, model, session, startProcess };
}

test("HLIVE9 after a worker was killed in the middle of a reply, the reply of its successor takes the place of the text", async () => {
  const { feed, model, session, startProcess } = await startParts("killed");
  const client = follow(feed, session);
  const worker = await startProcess("w-killed");
  (await model.next()).write("Half of a rep");
  await expect.poll(() => client.text).toBe("Half of a rep");
  worker.kill("SIGKILL");
  await startProcess("w-successor");
  const reply = await model.next();
  reply.write("A whole");
  await expect.poll(() => client.text).toBe("A whole");
  reply.write(" reply.");
  reply.end();
  await expect.poll(() => client.replies).toEqual(["A whole reply."]);
  await expect.poll(() => client.states.at(-1)).toBe("idle 0");
  expect(new Set(client.deltas.map(({ reply: id }) => id)).size).toBe(1);
  expect(client.problems).toEqual([]);
});

test("HLIVE9 what a worker sends that was stopped and goes on after it was superseded is not shown", async () => {
  const { feed, model, session, startProcess } = await startParts("frozen");
  const listener = new PostgresClient({ connectionString: connectionString() });
  await listener.connect();
  onTestFinished(() => listener.end());
  const sent: string[] = [];
  listener.on("notification", ({ payload = "" }) => {
    for (const item of unpackItems(payload)) if (item.type === "delta") sent.push(item.text);
  });
  await listener.query("listen pith_live");
  const client = follow(feed, session);
  const worker = await startProcess("w-frozen");
  const old = await model.next();
  old.write("Old.");
  await expect.poll(() => client.text).toBe("Old.");
  worker.kill("SIGSTOP");
  await startProcess("w-next");
  const reply = await model.next();
  reply.write("New.");
  await expect.poll(() => client.text).toBe("New.");
  worker.kill("SIGCONT");
  old.write(" Older.");
  await expect.poll(() => sent).toContain(" Older.");
  const late = follow(feed, session);
  await expect.poll(() => late.text).toBe("New.");
  // Both workers have answered by then.
  await expect.poll(() => sent.filter((text) => text === "Old. Older.")).not.toEqual([]);
  reply.write(" Newer.");
  for (const each of [client, late]) {
    await expect.poll(() => each.text).toBe("New. Newer.");
    expect(each.problems).toEqual([]);
  }
  expect(late.deltas.map(({ text }) => text).join("")).toBe("New. Newer.");
  reply.end();
  await expect.poll(() => client.replies).toEqual(["New. Newer."]);
});
