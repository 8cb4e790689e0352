/** Pins: set, shown, taken away. */

import { Agent } from "@pith/agent";
import { type Entry, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import { createCommandContext, runForResult, runForText } from "../support/command-context.ts";

test("COM16 /pin pins text and entries and lists them with numbers; /unpin removes one by number or id", async () => {
  const context = await createCommandContext(["user: never push to main", "says: understood"]);
  const { session } = context.agent;
  expect(await runForText("/pin", context)).toMatch(/^There are no pins\./);
  expect(await runForText("/pin Use tabs, not spaces.", context)).toBe("Pinned: Use tabs, not spaces.");
  expect(await runForText("/pin e1", context)).toBe("Pinned: never push to main");
  expect(session.branch.state.pins.map(({ text }) => text)).toEqual(["Use tabs, not spaces.", "never push to main"]);
  expect(await runForText("/pin", context)).toMatch(
    /^ 1 {2}\w+ {2}Use tabs, not spaces\.\n 2 {2}\w+ {2}never push to main$/,
  );
  expect(await runForText("/unpin 1", context)).toBe("Unpinned: Use tabs, not spaces.");
  expect(await runForText("/unpin e1", context)).toBe("Unpinned: never push to main");
  expect(session.branch.state.pins).toEqual([]);
});

test("COM16 /pin pins a word that is no entry id as text, and refuses an entry without text", async () => {
  const context = await createCommandContext(["user: hello", "model: anthropic/claude"]);
  expect(await runForText("/pin tabs", context)).toBe("Pinned: tabs");
  expect(await runForResult("/pin e2", context)).toMatchObject({ type: "mistake", message: "e2 has no text to pin" });
  expect(await runForResult("/unpin 7", context)).toMatchObject({
    type: "mistake",
    message: expect.stringContaining("/pin lists"),
  });
  for (const words of ["/unpin 0", "/unpin 2", "/unpin e", "/unpin zzzz"])
    expect(await runForResult(words, context), words).toMatchObject({ type: "mistake" });
  expect(await runForText("/unpin", context)).toContain("tabs");
  const [pin] = context.agent.session.branch.state.pins;
  expect(await runForText(`/unpin ${pin?.id.slice(0, 8)}`, context)).toBe("Unpinned: tabs");
});

test("COM16 /unpin accepts the short id of a pinned entry, also of a reply", async () => {
  const context = await createCommandContext(["user: hello"]);
  const { store } = context.agent.session;
  const reply = { ...(await store.entry("e1")), id: "0123456789abcdef0123-1-0", parentId: "e1", number: 2 } as Entry;
  await store.append([reply], { expectedLeaf: "e1" });
  const session = await Session.open(store, nodeRuntime);
  const later = {
    ...context,
    agent: new Agent({ session, model: context.agent.model, tools: [], runtime: nodeRuntime }),
  };
  expect(await runForText("/pin 01234567-1-0", later)).toBe("Pinned: hello");
  expect(await runForText("/unpin 01234567-1-0", later)).toBe("Unpinned: hello");
});
