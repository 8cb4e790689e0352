/** Proves that the system state folded into one message says what all of them said. */

import { expect, test } from "vitest";
import type { Entry } from "../../src/entry.ts";
import type { SystemMessage } from "../../src/message.ts";
import { foldedSystem } from "../../src/reading/fold-system.ts";
import { windowOf } from "../../src/session/window.ts";
import { story } from "../../src/testing/story.ts";

const tool = (name: string, description = name) => ({ name, description, parameters: {} });

function said(...messages: readonly Partial<SystemMessage>[]): readonly Entry[] {
  return story(...messages.map(() => "system: x")).map((entry, at) => ({
    ...(entry as Entry & { type: "message" }),
    message: { role: "system", content: "", timestamp: at, ...messages[at] },
  }));
}

test("KEEP7 sections are patched by name, tools come and go, words are added", () => {
  const branch = said(
    { content: "You help.", sections: { rules: "tabs", mode: "plan" }, toolsAdded: [tool("read"), tool("bash")] },
    { sections: { mode: null, rules: "spaces" } },
    { content: "Be brief.", toolsRemoved: [{ name: "read" }], toolsAdded: [tool("bash", "newer"), tool("edit")] },
  );
  expect(foldedSystem(windowOf(branch))).toEqual({
    role: "system",
    content: "You help.\n\nBe brief.",
    sections: { rules: "spaces" },
    toolsAdded: [tool("bash", "newer"), tool("edit")],
    timestamp: 2,
  });
});

test("KEEP7 one that was folded before goes on; those it covers do not count again", () => {
  const [first, second] = said({ content: "You help." }, { content: "Be brief." });
  const compaction = {
    ...(story("user: x", "compacts: before, keeps e1")[1] as Entry & { type: "compaction" }),
    id: "c",
    firstKeptEntryId: first?.id ?? "",
    systemMessage: { role: "system" as const, content: "Folded.", timestamp: 0 },
  };
  const window = windowOf([first, compaction, second] as readonly Entry[]);
  expect(foldedSystem(window)?.content).toBe("Folded.\n\nBe brief.");
});

test("KEEP7 where the log says nothing of it there is none", () => {
  expect(foldedSystem(windowOf(story("user: hello")))).toBeNull();
});
