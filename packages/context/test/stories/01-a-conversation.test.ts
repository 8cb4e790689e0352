/** Story 1: a message becomes an entry, the branch becomes a context, the context goes to a model, and its reply becomes an entry. */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import { MemoryStore } from "../../src/session/memory-store.ts";
import { Session } from "../../src/session/session.ts";
import { scriptedModel, testRuntime } from "../../src/testing/scripted-model.ts";
import { show } from "../../src/testing/story.ts";

test("REQ2 a message becomes an entry, part of a context and of a request, and its reply becomes an entry", async () => {
  const ports = testRuntime();
  const session = await Session.open(MemoryStore.create(ports), ports);
  const model = scriptedModel("It is a parser.", "In 2019.");

  for (const question of ["What is this?", "Since when?"]) {
    await session.append({ type: "message", message: { role: "user", content: question, timestamp: ports.now() } });
    const request = buildRequest(buildSessionContext(session.branch), { model });
    for await (const event of model.stream(request, {}))
      if (event.type === "reply-ended") await session.append({ type: "message", message: event.message });
  }

  expect(model.requests.map(({ messages }) => show(messages))).toEqual([
    "0 user      What is this?",
    ["0 user      What is this?", "1 assistant It is a parser.", "2 user      Since when?"].join("\n"),
  ]);
  expect((await session.branchEntries()).map(({ id, parentId }) => `${parentId} <- ${id}`)).toEqual([
    "null <- e1",
    "e1 <- e2",
    "e2 <- e3",
    "e3 <- e4",
  ]);
});
