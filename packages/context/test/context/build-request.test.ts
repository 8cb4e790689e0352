/** Tests context/build-request.ts: build request, system messages. */

import { describe, expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { buildRequest, mergeSystemMessages } from "../../src/context/build-request.ts";
import { convertToLlm } from "../../src/context/convert-to-llm.ts";
import type { CompactionEntry, Entry } from "../../src/entry.ts";
import type { SystemMessage } from "../../src/message.ts";
import { loadBranch } from "../../src/session/loaded-branch.ts";
import { story } from "../../src/testing/story.ts";
import { expectLinearTime } from "../support/expect-speed.ts";
import { contextAt, storyModel } from "../support/story-context.ts";

describe("build request", () => {
  const read = { name: "read", description: "reads a file", parameters: { type: "object" } };
  const rules = {
    role: "system",
    content: "be kind",
    sections: { project: "a library", gone: null },
    toolsAdded: [read],
    timestamp: 0,
  } as const;

  test("REQ1 the first system message becomes system and tools, and a later one is sent in place", () => {
    const entries = story("system: x", "user: go", "system: now be brief", "says: ok").map((entry) =>
      entry.id === "e1" && entry.type === "message" ? { ...entry, message: rules } : entry,
    );
    const request = buildRequest(contextAt(entries), { model: storyModel, thinking: "low" });
    expect(request.system).toEqual([
      { name: "prompt", text: "be kind" },
      { name: "project", text: "a library" },
    ]);
    expect(request.tools).toEqual([read]);
    expect(request.messages.map(({ role }) => role)).toEqual(["user", "system", "assistant"]);
    expect(request.thinking).toBe("low");
  });

  test("REQ2 each request starts with the previous one", () => {
    const entries = story(
      "system: rules",
      "user: go",
      "calls: read; bash",
      "result: one",
      "result: two",
      "says: ok",
      "user: on",
      "calls: read",
      "result: x",
    );
    const ends = ["e2", "e5", "e7", "e9"].map((leaf) =>
      JSON.stringify(buildRequest(contextAt(entries, leaf), { model: storyModel }).messages).slice(0, -1),
    );
    for (const [at, end] of ends.entries()) if (at > 0) expect(end.startsWith(ends[at - 1] ?? "?")).toBe(true);
  });

  test("REQ3 there are at most four cache marks: tools, system or summary, the end of the last request and of this one", () => {
    const entries = story(
      "system: x",
      "user: go",
      "calls: read",
      "result: one",
      "says: ok",
      "user: on",
      "compacts: short, keeps e6",
      "says: yes",
      "user: go on",
    ).map((entry) =>
      entry.id === "e1" && entry.type === "message"
        ? { ...entry, message: rules }
        : entry.type === "compaction"
          ? { ...entry, systemMessage: rules }
          : entry,
    );
    const marks = (leaf: string): unknown => buildRequest(contextAt(entries, leaf), { model: storyModel }).cacheMarks;
    expect(marks("e2")).toEqual([{ after: "tools" }, { after: "system" }, { after: "message", index: 0 }]);
    expect(marks("e6")).toEqual([
      { after: "tools" },
      { after: "system" },
      { after: "message", index: 2 },
      { after: "message", index: 4 },
    ]);
    expect(marks("e9")).toEqual([
      { after: "tools" },
      { after: "message", index: 0 },
      { after: "message", index: 1 },
      { after: "message", index: 3 },
    ]);
  });

  test("REQ1 the thinking level defaults to the last one in the log", () => {
    const level = (thinking: string): string =>
      buildRequest(contextAt(story(`thinking: ${thinking}`, "user: go")), { model: storyModel }).thinking;
    expect(level("high")).toBe("high");
    expect(level("tremendous")).toBe("off");
    expect(
      buildRequest(contextAt(story("thinking: high", "user: go")), { model: storyModel, thinking: "low" }).thinking,
    ).toBe("low");
  });

  test("REQ4 a summary message has several blocks, with the same text as one block", () => {
    const parts = [
      { kind: "pins", length: 5, tokens: 1 },
      { kind: "words", length: 6, tokens: 1 },
      { kind: "story", length: 6, tokens: 1 },
      { kind: "request", length: 7, tokens: 1 },
    ];
    const [userEntry, compaction] = story("user: one", "compacts: pins,words,story,request, keeps nothing");
    const ours = { ...(compaction as CompactionEntry), details: { pith: { front: parts } } };
    const blocks = (entry: CompactionEntry): readonly string[] => {
      const [front] = convertToLlm(buildSessionContext(loadBranch([userEntry, entry] as Entry[])).messages);
      return typeof front?.content === "string"
        ? []
        : (front?.content ?? []).map((block) => (block.type === "text" ? block.text : ""));
    };
    expect(blocks(ours).map((text) => text.slice(-16))).toEqual([
      expect.stringMatching(/<summary>\npins,$/),
      "words,",
      "quest\n</summary>",
    ]);
    expect(blocks(ours).join("")).toBe(blocks(compaction as CompactionEntry).join(""));
    const wrong = { ...ours, details: { pith: { front: parts.slice(1) } } };
    expect(blocks(wrong)).toEqual(blocks(compaction as CompactionEntry));
  });
});

describe("system messages", () => {
  const tool = (name: string, description = name) => ({ name, description, parameters: {} });

  function createSystemEntries(...messages: readonly Partial<SystemMessage>[]): readonly Entry[] {
    return story(...messages.map(() => "system: x")).map((entry, at) => ({
      ...(entry as Entry & { type: "message" }),
      message: { role: "system", content: "", timestamp: at, ...messages[at] },
    }));
  }

  test("KEEP7 sections are replaced by name, tools are added and removed, texts are appended", () => {
    const branch = createSystemEntries(
      { content: "You help.", sections: { rules: "tabs", mode: "plan" }, toolsAdded: [tool("read"), tool("bash")] },
      { sections: { mode: null, rules: "spaces" } },
      { content: "Be brief.", toolsRemoved: [{ name: "read" }], toolsAdded: [tool("bash", "newer"), tool("edit")] },
    );
    expect(mergeSystemMessages(loadBranch(branch))).toEqual({
      role: "system",
      content: "You help.\n\nBe brief.",
      sections: { rules: "spaces" },
      toolsAdded: [tool("bash", "newer"), tool("edit")],
      timestamp: 2,
    });
  });

  test("KEEP7 a merged message is continued, and those it covers are not merged again", () => {
    const [first, second] = createSystemEntries({ content: "You help." }, { content: "Be brief." });
    const compaction = {
      ...(story("user: x", "compacts: before, keeps e1")[1] as Entry & { type: "compaction" }),
      id: "c",
      firstKeptEntryId: first?.id ?? "",
      systemMessage: { role: "system" as const, content: "Folded.", timestamp: 0 },
    };
    const window = loadBranch([first, compaction, second] as readonly Entry[]);
    expect(mergeSystemMessages(window)?.content).toBe("Folded.\n\nBe brief.");
  });

  test("KEEP7 a repeated text appears once, at its last position", () => {
    const contents = (...texts: readonly string[]) =>
      mergeSystemMessages(loadBranch(createSystemEntries(...texts.map((content) => ({ content })))))?.content;
    expect(contents("You help.", "You help.", "You help.")).toBe("You help.");
    expect(contents("You help.", "Plan.", "Act.", "Plan.")).toBe("You help.\n\nAct.\n\nPlan.");
    expect(contents("You help.\n\nPlan.\n\nAct.", "Plan.")).toBe("You help.\n\nAct.\n\nPlan.");
    expect(contents("You help.\n\nAct.", "Act.")).toBe("You help.\n\nAct.");
    expect(contents("You help.\n\nAct.", "You help.")).toBe("Act.\n\nYou help.");
    expect(contents("You help.", "help.")).toBe("You help.\n\nhelp.");
  });

  test("KEEP7 a merged state that is logged repeatedly does not grow", () => {
    let state = mergeSystemMessages(loadBranch(createSystemEntries({ content: "You help." }, { content: "Plan." })));
    const first = state?.content;
    for (let round = 0; round < 3; round++) {
      const compaction = { ...(story("compacts: before")[0] as Entry & { type: "compaction" }), id: "c" };
      const logged = createSystemEntries({ content: "You help." }, { content: "Plan." });
      state = mergeSystemMessages(
        loadBranch([{ ...compaction, firstKeptEntryId: "c", ...(state && { systemMessage: state }) }, ...logged]),
      );
    }
    expect(state?.content).toBe(first);
  });

  test("KEEP7 the content of a single message keeps its blocks", () => {
    const content = [{ type: "text" as const, text: "You help." }];
    expect(
      mergeSystemMessages(loadBranch(createSystemEntries({ content }, { sections: { rules: "tabs" } })))?.content,
    ).toEqual(content);
  });

  test.each<[string, object]>([
    ["toolsAdded null", { toolsAdded: null }],
    ["toolsAdded an object", { toolsAdded: {} }],
    ["toolsAdded with null and a nameless one", { toolsAdded: [null, {}, { name: 7 }] }],
    ["toolsRemoved null", { toolsRemoved: null }],
    ["toolsRemoved with null", { toolsRemoved: [null, "read"] }],
    ["sections null", { sections: null }],
    ["sections a list", { sections: ["tabs"] }],
    ["sections that are no texts", { sections: { rules: 7, mode: {} } }],
    ["content null", { content: null }],
    ["content an object", { content: {} }],
    ["content of odd blocks", { content: [null, 7, { type: "text" }, { type: "image", text: "x" }] }],
  ])("KEEP7 %s changes nothing", (_, odd) => {
    const state = { content: "You help.", sections: { rules: "tabs" }, toolsAdded: [tool("read")] };
    const expected = { role: "system", ...state, timestamp: 1 };
    expect(mergeSystemMessages(loadBranch(createSystemEntries(state, odd)))).toEqual(expected);
    expect(mergeSystemMessages(loadBranch(createSystemEntries(odd, state)))).toEqual(expected);
  });

  test("KEEP7 four thousand changes are merged in one pass", () => {
    const window = (count: number) =>
      loadBranch(
        createSystemEntries(
          ...Array.from({ length: count }, (_, at) => ({
            content: `Rule ${at}.`,
            sections: { [`s${at}`]: "text" },
            toolsAdded: [tool(`t${at}`)],
          })),
        ),
      );
    const [small, large] = [window(4_000), window(16_000)];
    expectLinearTime(
      () => mergeSystemMessages(small),
      () => mergeSystemMessages(large),
    );
  });

  test("KEEP7 without a system message in the log the result is null", () => {
    expect(mergeSystemMessages(loadBranch(story("user: hello")))).toBeNull();
  });
});
