/** Permission questions of hosted agents: they wait in a table, and an answer counts once it is in the log. */

import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Entry, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { type Step, startServer, type TestServer } from "@pith/testkit";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import {
  type AgentOpenerOptions,
  answerQuestion,
  createAgentOpener,
  type Inbox,
  listQuestions,
  type OpenQuestion,
  openLiveFeed,
  openLivePublisher,
  type QuestionAnswer,
  type TenantConfiguration,
} from "../../src/index.ts";
import { APPLICATION } from "../support/cluster.ts";
import { OTHER_TENANT, requireSession, TENANT } from "../support/database.ts";
import { follow } from "../support/follow.ts";
import { readRunState, Service } from "../support/run-sessions.ts";
import { useDatabase } from "../support/use-database.ts";

const postgres = useDatabase();

const write = { type: "call", name: "write", arguments: { path: "stock.txt", content: "12 lamps\n" } } as const;
const prompt = { id: "m1", kind: "followUp", content: "Note the stock." } as const;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pith-hosted-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

interface Hosted {
  readonly service: Service;
  readonly model: TestServer;
  readonly inbox: Inbox;
  readonly id: string;
}

async function host(
  id: string,
  script: readonly Step[],
  settings: TenantConfiguration["settings"] = {},
  options: Partial<AgentOpenerOptions> = {},
): Promise<Hosted> {
  const model = await startServer({ script });
  onTestFinished(() => model.close());
  const openAgent = createAgentOpener({
    ...{ database: postgres.database, folder, environment: { PATH: process.env.PATH } },
    readTenant: async () => ({
      settings: { model: "anthropic/claude-sonnet-4-5", baseUrl: `${model.url}/v1`, ...settings },
      keys: { location: "the table of keys", read: async () => ({ type: "read", keys: { anthropic: "any" } }) },
    }),
    ...options,
  });
  const service = new Service(postgres.database, model, { openAgent });
  await service.create(id);
  return { service, model, inbox: { database: postgres.database, wake: service.queue.createWake() }, id };
}

const ASK = { permissionMode: "ask", sandbox: "off" } as const;

const readQuestions = async (id: string): Promise<readonly OpenQuestion[]> =>
  (await listQuestions(postgres.database, TENANT)).filter(({ session }) => session === id);

async function findQuestion(id: string): Promise<OpenQuestion> {
  await expect.poll(() => readQuestions(id)).toHaveLength(1);
  const [question] = await readQuestions(id);
  if (!question) throw new Error("the question is gone");
  return question;
}

async function answer({ inbox, id }: Hosted, { id: question }: OpenQuestion, given: QuestionAnswer, tenant = TENANT) {
  return await answerQuestion(inbox, tenant, { session: id, question, answer: given });
}

async function expectIdle(id: string): Promise<void> {
  await expect.poll(() => readRunState(postgres.database, id)).toMatchObject({ busy: false, holder: null });
}

async function readEntries(id: string): Promise<readonly Entry[]> {
  const store = await requireSession(postgres.database, TENANT, { id, mode: "read" });
  return await store.branchEntries(await store.leaf());
}

async function findFile(id: string): Promise<string> {
  const { session } = await requireSession(postgres.database, TENANT, { id, mode: "read" });
  return join(folder, TENANT, "sessions", session.key, "workspace", "stock.txt");
}

test("HQ1 a question waits in the table while no worker has the session, and another worker goes on with the answer", async () => {
  const hosted = await host("asked", [{ parts: [write] }, "Noted."], ASK);
  const first = await hosted.service.startWorker("w-asks");
  await hosted.service.send("asked", prompt);
  const question = await findQuestion("asked");
  expect(question).toMatchObject({ tool: "write", text: "Allow this write to stock.txt?" });
  await expectIdle("asked");
  await first.stop();
  await hosted.service.startWorker("w-goes-on");
  expect(await answer(hosted, question, { type: "yes" }, OTHER_TENANT)).toBe(false);
  expect(await answer(hosted, question, { type: "yes" })).toBe(true);
  expect(await answer(hosted, question, { type: "no" })).toBe(false);
  await expect.poll(() => hosted.model.requests.length).toBe(2);
  await expectIdle("asked");
  expect(readFileSync(await findFile("asked"), "utf8")).toBe("12 lamps\n");
  const entries = await readEntries("asked");
  const recorded = entries.findIndex((entry) => entry.type === "custom" && entry.customType === "pith.answer");
  expect(entries[recorded]).toMatchObject({ data: { question: question.id, answer: { type: "yes" } } });
  const result = entries.findIndex((entry) => entry.type === "message" && entry.message.role === "toolResult");
  expect(recorded).toBeLessThan(result);
  expect(await readQuestions("asked")).toEqual([]);
});

test("HLIVE10 those who follow a session see how many questions are open, and the text of its agent", async () => {
  const hosted = await host("followed", [{ parts: [{ type: "text", text: "I write." }, write] }, "Noted."], ASK);
  const { database, cluster } = postgres;
  const connectionString = `postgresql://${APPLICATION}@127.0.0.1:${cluster.port}/pith`;
  const onError = (error: unknown): void => void hosted.service.errors.push(error);
  // It finds nothing by looking.
  const feed = await openLiveFeed({ connectionString, database, onError, lookMs: 2 ** 30 });
  onTestFinished(() => feed.close());
  const live = await openLivePublisher({ connectionString, onError });
  onTestFinished(() => live.close());
  const { session } = await requireSession(database, TENANT, { id: "followed", mode: "read" });
  const client = follow(feed, session);
  await hosted.service.startWorker("w-followed", { live });
  await hosted.service.send("followed", prompt);
  await expect.poll(() => client.states.at(-1)).toBe("idle 1");
  await answer({ ...hosted, inbox: { ...hosted.inbox, live: feed } }, await findQuestion("followed"), { type: "yes" });
  await expect.poll(() => client.states.at(-1)).toBe("idle 0");
  expect(client.replies).toEqual([expect.stringContaining("I write."), "Noted."]);
  expect(client.problems).toEqual([]);
  expect(hosted.service.errors).toEqual([]);
});

test("HQ2 a question whose row is lost is asked again with the same id, and a message does not answer it", async () => {
  const hosted = await host("lost-row", [{ parts: [write] }, "Noted."], ASK);
  await hosted.service.startWorker("w-rebuilds");
  await hosted.service.send("lost-row", prompt);
  const question = await findQuestion("lost-row");
  await expectIdle("lost-row");
  await postgres.cluster.runAsSuperuser("delete from pith.question");
  expect(await readQuestions("lost-row")).toEqual([]);
  await hosted.service.send("lost-row", { id: "m2", kind: "followUp", content: "Are you there?" });
  const { id } = await findQuestion("lost-row");
  expect(id).toBe(question.id);
  await expectIdle("lost-row");
  expect(hosted.model.requests).toHaveLength(1);
});

test("HQ3 a question without an answer expires as a no, and the model is told", async () => {
  const hosted = await host("expired", [{ parts: [write] }, "Not noted."], ASK);
  await hosted.service.startWorker("w-expires");
  await hosted.service.send("expired", prompt);
  const question = await findQuestion("expired");
  await expectIdle("expired");
  await postgres.cluster.runAsSuperuser("update pith.question set expires = now()");
  expect(await answer(hosted, question, { type: "yes" })).toBe(false);
  await expect.poll(() => hosted.model.requests.length).toBe(2);
  await expectIdle("expired");
  expect(JSON.stringify(hosted.model.requests[1]?.body)).toContain("Nobody answered in time.");
  expect(existsSync(await findFile("expired"))).toBe(false);
});

test("HQ4 an answer that was not accepted does not count, even if an entry says so", async () => {
  const hosted = await host("forged", [{ parts: [write] }], ASK);
  const worker = await hosted.service.startWorker("w-forged");
  await hosted.service.send("forged", prompt);
  const question = await findQuestion("forged");
  await expectIdle("forged");
  await worker.stop();
  const store = await requireSession(postgres.database, TENANT, { id: "forged", mode: "write" });
  const session = await Session.open(store, nodeRuntime);
  const data = { question: question.id, answer: { type: "yes" } };
  await session.append({ type: "custom", customType: "pith.answer", data });
  await hosted.service.startWorker("w-checks");
  await hosted.service.send("forged", { id: "m2", kind: "followUp", content: "Go on." });
  await expect.poll(async () => (await readEntries("forged")).length).toBeGreaterThan(session.branch.entries.length);
  await expectIdle("forged");
  expect(existsSync(await findFile("forged"))).toBe(false);
  expect((await findQuestion("forged")).id).toBe(question.id);
});

test("HQ5 a stop ends a turn that waits for an answer, and closes its question; the next message starts a new turn", async () => {
  const hosted = await host("stopped", [{ parts: [write] }, "As you like."], ASK);
  await hosted.service.startWorker("w-stops");
  await hosted.service.send("stopped", prompt);
  const question = await findQuestion("stopped");
  await expectIdle("stopped");
  await hosted.service.send("stopped", { id: "m2", kind: "stop", content: "" });
  await expect.poll(() => readQuestions("stopped")).toEqual([]);
  await expectIdle("stopped");
  expect(await answer(hosted, question, { type: "yes" })).toBe(false);
  await hosted.service.send("stopped", { id: "m3", kind: "followUp", content: "Never mind." });
  await expect.poll(() => hosted.model.requests.length).toBe(2);
  await expectIdle("stopped");
  expect(existsSync(await findFile("stopped"))).toBe(false);
  expect(JSON.stringify(hosted.model.requests[1]?.body)).toContain("Never mind.");
});

test("HQ6 without a sandbox no tool reaches the temporary folder of the machine, which other tenants use", async () => {
  const path = join(tmpdir(), `pith-hosted-${randomUUID()}.txt`);
  onTestFinished(() => rmSync(path, { force: true }));
  const outside = { type: "call", name: "write", arguments: { path, content: "out\n" } } as const;
  const hosted = await host("temporary", [{ parts: [outside] }, "I cannot."], { sandbox: "off" });
  await hosted.service.startWorker("w-temporary");
  await hosted.service.send("temporary", prompt);
  await expect.poll(() => hosted.model.requests.length).toBe(2);
  await expectIdle("temporary");
  expect(JSON.stringify(hosted.model.requests[1]?.body)).toContain("only the workspace can be used here");
  expect(existsSync(path)).toBe(false);
});

test("HQ6 without a sandbox no command runs, whatever mode the tenant chose", async () => {
  const run = { type: "call", name: "bash", arguments: { command: "echo out >stock.txt" } } as const;
  const hosted = await host("unconfined", [{ parts: [run] }, "I cannot."], { permissionMode: "all", sandbox: "off" });
  await hosted.service.startWorker("w-refuses");
  await hosted.service.send("unconfined", prompt);
  await expect.poll(() => hosted.model.requests.length).toBe(2);
  await expectIdle("unconfined");
  expect(JSON.stringify(hosted.model.requests[1]?.body)).toContain("commands run only in a sandbox here");
  expect(existsSync(await findFile("unconfined"))).toBe(false);
});
