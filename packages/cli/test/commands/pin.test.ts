/** Pins: set, shown, taken away. */

import { Agent } from "@pith/agent";
import { type Entry, Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { expect, test } from "vitest";
import { createCommandContext, runForResult, runForText } from "./desks.ts";

test("COM16 /pin pins text and entries and lists them with numbers; /unpin removes one by number or id", async () => {
  const desk = await createCommandContext(["user: never push to main", "says: understood"]);
  const { session } = desk.agent;
  expect(await runForText("/pin", desk)).toMatch(/^There are no pins\./);
  expect(await runForText("/pin Use tabs, not spaces.", desk)).toBe("Pinned: Use tabs, not spaces.");
  expect(await runForText("/pin e1", desk)).toBe("Pinned: never push to main");
  expect(session.branch.state.pins.map(({ text }) => text)).toEqual(["Use tabs, not spaces.", "never push to main"]);
  expect(await runForText("/pin", desk)).toMatch(
    /^ 1 {2}\w+ {2}Use tabs, not spaces\.\n 2 {2}\w+ {2}never push to main$/,
  );
  expect(await runForText("/unpin 1", desk)).toBe("Unpinned: Use tabs, not spaces.");
  expect(await runForText("/unpin e1", desk)).toBe("Unpinned: never push to main");
  expect(session.branch.state.pins).toEqual([]);
});

test("COM16 /pin pins a word that is no entry id as text, and refuses an entry without text", async () => {
  const desk = await createCommandContext(["user: hello", "model: anthropic/claude"]);
  expect(await runForText("/pin tabs", desk)).toBe("Pinned: tabs");
  expect(await runForResult("/pin e2", desk)).toMatchObject({ type: "mistake", message: "e2 has no text to pin" });
  expect(await runForResult("/unpin 7", desk)).toMatchObject({
    type: "mistake",
    message: expect.stringContaining("/pin lists"),
  });
  for (const words of ["/unpin 0", "/unpin 2", "/unpin e", "/unpin zzzz"])
    expect(await runForResult(words, desk), words).toMatchObject({ type: "mistake" });
  expect(await runForText("/unpin", desk)).toContain("tabs");
  const [pin] = desk.agent.session.branch.state.pins;
  expect(await runForText(`/unpin ${pin?.id.slice(0, 8)}`, desk)).toBe("Unpinned: tabs");
});

test("COM16 /unpin accepts the short id of a pinned entry, also of a reply", async () => {
  const desk = await createCommandContext(["user: hello"]);
  const { store } = desk.agent.session;
  const reply = { ...(await store.entry("e1")), id: "0123456789abcdef0123-1-0", parentId: "e1", number: 2 } as Entry;
  await store.append([reply], { expectedLeaf: "e1" });
  const session = await Session.open(store, nodeRuntime);
  const later = { ...desk, agent: new Agent({ session, model: desk.agent.model, tools: [], runtime: nodeRuntime }) };
  expect(await runForText("/pin 01234567-1-0", later)).toBe("Pinned: hello");
  expect(await runForText("/unpin 01234567-1-0", later)).toBe("Unpinned: hello");
});
