/** Servers that send requests on: to themselves, to others, for ever. */

import type { IncomingMessage } from "node:http";
import { afterEach, expect, test } from "vitest";
import { asked, type Serving, serving } from "./serving.ts";

const open: Serving[] = [];
afterEach(() => {
  for (const each of open.splice(0)) each.close();
});

const key = { authorization: "Bearer secret", "x-api-key": "secret" };

test.each([
  ["GET", 301],
  ["GET", 302],
  ["POST", 307],
  ["POST", 308],
])("NET8 %s with %i on the same server is followed, key and body along", async (method, status) => {
  const { url, questions } = await sendingOn(status, () => "/there");
  const answer = await asked(`${url}/here`, { method, headers: key, ...(method === "POST" && { body: "hi" }) });
  expect([answer.status, answer.redirected, answer.url]).toEqual([200, true, `${url}/there`]);
  expect(await answer.text()).toBe(method === "POST" ? "hi" : "");
  expect(questions.map(({ headers }) => headers["x-api-key"])).toEqual(["secret", "secret"]);
});

test.each(["GET", "POST"])(
  "NET8 %s to another server is refused with a sentence, and that one hears nothing",
  async (method) => {
    const other = await sendingOn(200, () => "");
    const { url } = await sendingOn(307, () => `${other.url}/there?token=abc`);
    const failed = asked(`${url}/here`, { method, headers: key, ...(method === "POST" && { body: "hi" }) });
    await expect(failed).rejects.toThrow(`sent on to ${other.url}, where its key must not go`);
    await expect(failed).rejects.not.toThrow("abc");
    expect(other.questions).toEqual([]);
  },
);

test("NET8 a question with a body that would lose it is refused", async () => {
  const { url, questions } = await sendingOn(302, () => "/there");
  await expect(asked(`${url}/here`, { method: "POST", body: "hi" })).rejects.toThrow(`sent on to ${url}/there`);
  expect(questions).toHaveLength(1);
});

test("NET8 no request is sent on for ever", async () => {
  const { url, questions } = await sendingOn(302, (at) => `${at}x`);
  await expect(asked(`${url}/here`)).rejects.toThrow("more than 5 times");
  expect(questions).toHaveLength(6);
});

test("NET8 who follows by himself is told where to, and who forbids it is obeyed", async () => {
  const { url } = await sendingOn(302, () => "/there");
  const answer = await asked(`${url}/here`, { redirect: "manual" });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/there"]);
  await expect(asked(`${url}/here`, { redirect: "error" })).rejects.toThrow("sent on");
});

interface SendingOn extends Serving {
  readonly questions: readonly IncomingMessage[];
}

/** Everything but `/there`, which gives back what it hears. */
async function sendingOn(status: number, where: (at: string) => string): Promise<SendingOn> {
  const questions: IncomingMessage[] = [];
  const served = await serving((incoming, response) => {
    questions.push(incoming);
    if (incoming.url !== "/there") response.writeHead(status, { location: where(incoming.url ?? "") }).end();
    else incoming.pipe(response);
  });
  open.push(served);
  return { ...served, questions };
}
