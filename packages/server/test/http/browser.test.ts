/** The example in a browser: a customer follows the assistant while its worker, PostgreSQL and the API are killed. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { type ScriptRequest, type Step, startServer as startModel } from "@pith/testkit";
import { expect, onTestFinished, test } from "vitest";
import { openPage, type Page } from "../support/browser.ts";
import { APPLICATION, OWNER, startCluster } from "../support/cluster.ts";
import { runPithServer, startProgram } from "../support/programs.ts";
import { clientOf, connectionString } from "../support/serve.ts";

const REPLY = "We have twelve of them, in brass and in copper, and all of them are on the shelf beside the door.";

/** The reply depends only on the conversation, so that a request may be sent again. */
function answer({ body }: ScriptRequest): Step {
  const { messages } = body as { readonly messages: readonly { readonly role: string; readonly content: unknown }[] };
  const last = JSON.stringify(messages.at(-1));
  if (last.includes("4711")) return "Ordered. The number of your order is 4711.";
  if (last.includes("12 of lamp")) return { parts: [{ type: "text", text: REPLY }], pace: { everyMs: 120 } };
  if (last.includes("Two, please"))
    return { parts: [{ type: "call", name: "order", arguments: { item: "lamp", count: 2 } }] };
  return { parts: [{ type: "call", name: "stock", arguments: { item: "lamp" } }] };
}

test("HOPS4 a page shows each entry once, and in the end what the log says, while its worker is killed, PostgreSQL restarted and the API killed", async () => {
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  const model = await startModel({ script: answer });
  onTestFinished(() => model.close());
  const folder = mkdtempSync("/var/tmp/pith-shop-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const variables = {
    PITH_DATABASE_URL: connectionString(cluster, APPLICATION),
    PITH_OWNER_URL: connectionString(cluster, OWNER),
    PITH_FOLDER: folder,
    PITH_ENCRYPTION_KEYS: randomBytes(32).toString("base64"),
    ANTHROPIC_API_KEY: "sk-shop",
    MODEL_URL: `${model.url}/v1`,
    PORT: String(await findFreePort()),
  };
  expect(await runPithServer(["migrate"], variables)).toMatchObject({ code: 0 });
  const { stdout } = await runPithServer(["tenants", "create"], variables);
  const [, token = ""] = /token\s+(\S+)/.exec(stdout) ?? [];
  const startApi = () => startProgram("example/shop.ts", [], { ...variables, ROLE: "api", PITH_TOKEN: token });
  const startWorker = () => startProgram("example/shop.ts", [], { ...variables, ROLE: "worker" });

  const api = startApi();
  const first = startWorker();
  const line = await api.waitForLine(/The shop is open/);
  const url = line.slice(line.indexOf("http"));
  const page = await openPage();
  await page.open(url);
  await expectStatus(page, "idle");
  await say(page, "How many lamps are there?");
  await expect.poll(() => readReply(page)).toMatch(/^We have twelve/);
  const second = startWorker();
  await first.kill("SIGKILL");
  await expect.poll(() => readItems(page)).toContain(REPLY);
  expect(model.requests.filter(({ body }) => JSON.stringify(body).includes("12 of lamp"))).toHaveLength(2);

  await cluster.whileStopped(async () => {});
  await say(page, "Two, please.");
  await expect.poll(() => page.evaluate<number>("document.querySelectorAll('#questions button').length")).toBe(2);
  await api.kill("SIGKILL");
  const nextApi = startApi();
  await nextApi.waitForLine(/The shop is open/);
  await expect.poll(() => readReadyQuestion(page)).toBe("yes");
  await page.evaluate("document.querySelector('#questions button').click()");
  await expect.poll(() => readItems(page)).toContain("Ordered. The number of your order is 4711.");
  await expectStatus(page, "idle");

  const client = clientOf(url, token);
  const [{ id: session, lastSeq }] = await readSessions(client);
  const { entries } = (await client.call("GET", `/sessions/${session}/entries?limit=1000`)).body;
  expect(await page.evaluate("JSON.stringify(window.seen)")).toBe(JSON.stringify([...Array(lastSeq + 1).keys()]));
  expect(await readItems(page)).toEqual(listTexts(entries));
  expect(await readReply(page)).toBe("");
  expect(page.errors).toEqual([]);
  await second.kill("SIGTERM");
});

// biome-ignore lint/suspicious/noExplicitAny: as the API answers.
type Any = any;

async function readSessions(client: ReturnType<typeof clientOf>): Promise<Any> {
  const { sessions } = (await client.call("GET", "/sessions")).body;
  return [(await client.call("GET", `/sessions/${sessions[0].id}`)).body];
}

/** What the page should show of the log. */
function listTexts(entries: readonly Any[]): readonly string[] {
  const messages = entries.flatMap(({ entry }) => (entry.type === "message" ? [entry.message] : []));
  return messages
    .filter(({ role }) => role !== "system")
    .map(joinTexts)
    .filter((text) => text !== "");
}

function joinTexts({ content }: Any): string {
  if (typeof content === "string") return content;
  return content.flatMap(({ type, text }: Any) => (type === "text" ? [text] : [])).join("\n");
}

async function say(page: Page, text: string): Promise<void> {
  await page.evaluate(
    `document.querySelector("input").value = ${JSON.stringify(text)}; document.forms[0].requestSubmit()`,
  );
}

const readReply = (page: Page) => page.evaluate<string>("document.getElementById('reply').textContent");

const readItems = (page: Page) =>
  page.evaluate<readonly string[]>("[...document.querySelectorAll('#log li')].map((item) => item.textContent)");

const readReadyQuestion = (page: Page) =>
  page.evaluate<string | null>(
    "document.getElementById('status').textContent === 'Connecting …' ? null : document.querySelector('#questions button')?.textContent ?? null",
  );

async function expectStatus(page: Page, status: string): Promise<void> {
  await expect.poll(() => page.evaluate("document.getElementById('status').textContent")).toBe(status);
}

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
