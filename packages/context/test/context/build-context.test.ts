/** Tests context/build-context.ts: the messages of a context, by kind of entry. */

import { describe, expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import type { Entry } from "../../src/entry.ts";
import type { AgentMessage } from "../../src/message.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { initialSessionState } from "../../src/session/state.ts";
import { story } from "../../src/testing/story.ts";
import { contextAt, contextLines } from "../support/story-context.ts";

describe("a branch without compaction", () => {
  test("CTX1 has a context of its messages in order, without other entries of the file", () => {
    const lines = ["user: one", "says: two", "user: three"];
    expect(contextLines(...lines)).toEqual(["0 user      one", "1 assistant two", "2 user      three"]);
    expect(contextLines(...lines, "moves: e1", "says: other", "moves: e3")).toEqual(contextLines(...lines));
  });

  test("CTX1 that is empty has an empty context", () => {
    expect(buildSessionContext(loadBranch([]))).toEqual({ messages: [], sources: [], ...initialSessionState });
  });

  test("CTX14 every message has its entry as source; settings, labels and state give no message", () => {
    const context = contextAt(
      story("model: anthropic/opus", "user: one", "labels e2: here", "thinking: high", "says: two"),
    );
    expect(context.sources).toEqual(["e2", "e5"]);
    expect(context.thinkingLevel).toBe("high");
    expect(context.model).toEqual({ provider: "anthropic", modelId: "storyteller" });
  });

  test("CTX1 missing content in a file is empty and does not throw", () => {
    const [entry] = story("user: x") as readonly [Entry];
    const empty = (message: object): readonly AgentMessage[] => contextAt([{ ...entry, message } as Entry]).messages;
    expect(empty({ role: "user", content: null })).toEqual([{ role: "user", content: [] }]);
    expect(empty({ role: "assistant" })).toEqual([{ role: "assistant", content: [] }]);
    expect(empty({ role: "system", content: null })).toEqual([{ role: "system", content: "" }]);
  });
});

describe("after a compaction", () => {
  const before = ["user: one", "says: two", "user: three", "says: four"];

  test("CTX2 the context has the summary, the kept entries and the later entries", () => {
    expect(contextLines(...before, "compacts: the first two, keeps e3", "user: five")).toEqual([
      "0 summary   the first two",
      "1 user      three",
      "2 assistant four",
      "3 user      five",
    ]);
  });

  test("CTX2 only the newest compaction counts, even if it keeps the entry of an older one", () => {
    const twice = [...before, "compacts: older, keeps e3", "user: six", "compacts: newer, keeps e4"];
    expect(contextLines(...twice)).toEqual(["0 summary   newer", "1 assistant four", "2 user      six"]);
  });

  test("CTX2 a compaction whose first kept entry is itself or not on the branch keeps nothing", () => {
    expect(contextLines(...before, "compacts: all, keeps nothing")).toEqual(["0 summary   all"]);
    expect(contextLines(...before, "compacts: all, keeps e99", "user: on")).toEqual([
      "0 summary   all",
      "1 user      on",
    ]);
  });

  test("CTX13 its system message comes first and replaces earlier ones", () => {
    const branch = story(
      "system: old rules",
      "user: one",
      "system: more rules",
      "says: two",
      "compacts: one, keeps e2",
      "system: newest",
    );
    const system = { role: "system", content: "all rules", timestamp: 0 } as const;
    const entries = branch.map((entry) => (entry.type === "compaction" ? { ...entry, systemMessage: system } : entry));
    expect(
      contextAt(entries).messages.map((message) => [message.role, "content" in message && message.content]),
    ).toEqual([
      ["system", "all rules"],
      ["compactionSummary", false],
      ["user", "one"],
      ["assistant", [{ type: "text", text: "two" }]],
      ["system", "newest"],
    ]);
  });

  test("CTX13 an invalid system message is left out", () => {
    const branch = story("user: one", "compacts: short, keeps nothing");
    for (const systemMessage of [null, 5, { role: "user", content: 5 }]) {
      const entries = branch.map((entry) =>
        entry.type === "compaction" ? ({ ...entry, systemMessage } as unknown as Entry) : entry,
      );
      expect(contextAt(entries).messages.map(({ role }) => role)).toEqual(["compactionSummary"]);
    }
  });

  test("CTX10 moving to an entry before it undoes it", () => {
    const branch = story(...before, "compacts: gone, keeps nothing", "moves: e4");
    expect(contextAt(branch).messages).toEqual(contextAt(branch, "e4").messages);
    expect(contextAt(branch).messages).toHaveLength(4);
  });
});

describe("context edits", () => {
  test("CTX3 the latest edit decides; null removes the message", () => {
    const lines = ["user: one", "calls: read", "result: a very long file", "edits e3: short"];
    expect(contextLines(...lines)).toEqual(["0 user      one", "1 assistant [c1: read]", "2 tool      c1 -> short"]);
    expect(contextLines(...lines, "edits e3: shorter")[2]).toBe("2 tool      c1 -> shorter");
    expect(contextLines(...lines, "drops e1")).toEqual(["0 assistant [c1: read]", "1 tool      c1 -> short"]);
  });

  test("CTX3 an edit made on another branch does not count here", () => {
    expect(contextLines("user: one", "says: two", "edits e1: changed", "moves: e2")).toEqual([
      "0 user      one",
      "1 assistant two",
    ]);
  });

  test("CTX3 an edit covered by a compaction has no effect", () => {
    const lines = ["user: one", "edits e1: changed", "says: two", "compacts: short, keeps e3", "user: three"];
    expect(contextLines(...lines)).toEqual(["0 summary   short", "1 assistant two", "2 user      three"]);
  });

  test("CTX3 an edit does not change system messages, shell lines or summaries", () => {
    const branch = story("bash: ls -> a.ts", "says: two");
    const edit: Entry = {
      type: "context_edit",
      id: "x",
      parentId: "e2",
      timestamp: "",
      targetId: "e1",
      replacement: { content: "no" },
    };
    expect(contextAt([...branch, edit]).messages).toEqual(contextAt(branch).messages);
  });
});

test("CTX2 an abandoned branch appears as its summary, and an empty summary as no message", () => {
  expect(contextLines("user: one", "says: two", "moves: e1", "left e2: tried two")).toEqual([
    "0 user      one",
    "1 left      tried two",
  ]);
  expect(contextLines("user: one", "left e2: ")).toEqual(["0 user      one"]);
});
