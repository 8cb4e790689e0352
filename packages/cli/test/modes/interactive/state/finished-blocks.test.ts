/** Tests modes/interactive/state/finished-blocks.ts: finished blocks, finished part of a block. */

import type { AgentEvent } from "@pith/agent";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findOpenCode, splitParagraphs } from "../../../../src/modes/interactive/state/blocks.ts";
import { findStablePrefix, splitFinished } from "../../../../src/modes/interactive/state/finished-blocks.ts";
import { initialScreenState } from "../../../../src/modes/interactive/state/screen-state.ts";
import {
  appended,
  applyEvents,
  callEvents,
  ended,
  listVisibleTexts,
  messageOf,
  type Part,
  pieces,
  restart,
  settled,
  started,
} from "../../../support/reply-events.ts";

describe("finished blocks", () => {
  /** Every word is there once in all of a stream, so that a second one would be seen. */
  interface Reply {
    readonly shapes: readonly { readonly kind: "text" | "thinking" | "call"; readonly words: readonly string[] }[];
    readonly length: number;
    readonly fate: "kept" | "restarted" | "aborted" | "lost";
  }

  const separators = [
    "\n\n",
    "\n",
    " ",
    "\n\n```ts\n",
    "\n```\n\n",
    "\n\n- ",
    "\n\n  ",
    "\n\n| a | b |\n|---|---|\n| ",
  ];

  const reply: fc.Arbitrary<Reply> = fc.record({
    shapes: fc.array(
      fc.record({
        kind: fc.constantFrom("text" as const, "text" as const, "thinking" as const, "call" as const),
        words: fc.array(fc.constantFrom(...separators), { minLength: 1, maxLength: 12 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    length: fc.integer({ min: 1, max: 40 }),
    fate: fc.constantFrom("kept" as const, "kept" as const, "restarted" as const, "aborted" as const, "lost" as const),
  });

  function partsOf({ shapes }: Reply, name: string): readonly Part[] {
    return shapes.map(({ kind, words }, at): Part => {
      const text = words.map((separator, word) => `${name}p${at}w${word}x${separator}`).join("");
      if (kind === "text") return { type: "text", text };
      if (kind === "thinking") return { type: "thinking", thinking: text };
      return { type: "toolCall", id: `${name}p${at}w0x`, name: "read", arguments: {} };
    });
  }

  interface ReplyEvents {
    readonly events: readonly AgentEvent[];
    readonly logged: readonly string[];
  }

  function toReplyEvents(given: Reply, name: string): ReplyEvents {
    const parts = partsOf(given, name);
    const aborted = given.fate === "aborted";
    const entry = appended(name, messageOf(parts, aborted ? "aborted" : "stop"));
    const calls = parts.filter((part) => part.type === "toolCall");
    const runs = aborted ? [] : calls.flatMap((call) => callEvents(call, "some output"));
    const whole = [started(), ...pieces(parts, given.length), entry, ...runs];
    const logged = parts.flatMap((part) => wordsIn(JSON.stringify(part)));
    if (given.fate === "lost") return { events: [started(), ...pieces(parts, given.length)], logged: [] };
    if (given.fate !== "restarted") return { events: whole, logged };
    const again = partsOf(given, `${name}again`);
    const events = [started(), ...pieces(again, given.length), restart, ...whole.slice(1)];
    return { events, logged };
  }

  function wordsIn(text: string): readonly string[] {
    return text.match(/r\d+(?:again)?p\d+w\d+x/g) ?? [];
  }

  test("SCR11 every word of the log is shown once and in order, and a word that is not in the log at most once", () => {
    fc.assert(
      fc.property(fc.array(reply, { minLength: 1, maxLength: 4 }), (replies) => {
        const replyEvents = replies.map((each, at) => toReplyEvents(each, `r${at}`));
        const start: AgentEvent = { type: "agent_start" };
        const state = applyEvents([start, ...replyEvents.flatMap(({ events }) => events), ended, settled]);
        const read = listVisibleTexts(state).flatMap(wordsIn);
        expect(new Set(read).size).toBe(read.length);
        const logged = replyEvents.flatMap((each) => each.logged);
        expect(read.filter((word) => logged.includes(word))).toEqual(logged);
      }),
      { numRuns: 400 },
    );
  });

  test("SCR11 no word is shown twice at any moment of a reply", () => {
    fc.assert(
      fc.property(reply, (given) => {
        const { events } = toReplyEvents(given, "r0");
        for (let count = 1; count <= events.length; count += 3) {
          const read = listVisibleTexts(applyEvents(events.slice(0, count))).flatMap(wordsIn);
          expect(new Set(read).size).toBe(read.length);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("SCR12 no block is printed before the unfinished block above it", () => {
    const running = { kind: "tool", id: "c", tool: "bash", arguments: {}, output: "", images: [] } as const;
    const userBlock = { kind: "user", id: "s", text: "hi", images: [] } as const;
    const { blocks, rest } = splitFinished({
      ...initialScreenState,
      blocks: [userBlock, { ...running, state: "running" }, userBlock],
    });
    expect(blocks).toEqual([userBlock]);
    expect(rest.blocks.map(({ kind }) => kind)).toEqual(["tool", "user"]);
  });

  test("SCR12 a foldable block is printed only after the next block, and a reply at once", () => {
    const call = { kind: "tool", id: "c", tool: "ls", arguments: {}, output: "", images: [], state: "done" } as const;
    const answer = { kind: "assistant", id: "a", text: "so", isOpen: false, printed: 0 } as const;
    expect(splitFinished({ ...initialScreenState, blocks: [call] }).blocks).toEqual([]);
    expect(splitFinished({ ...initialScreenState, blocks: [call, answer] }).blocks).toEqual([call, answer]);
  });

  test("consecutive calls and thoughts have no blank line between them, also below printed ones", () => {
    const call = { kind: "tool", id: "c", tool: "ls", arguments: {}, output: "", images: [], state: "done" } as const;
    const { blocks, rest } = splitFinished({ ...initialScreenState, blocks: [call, call, call] });
    expect(blocks.map(({ isAttached = false }) => isAttached)).toEqual([false, true]);
    expect(rest.blocks.map(({ isAttached = false }) => isAttached)).toEqual([true]);
  });

  test("SCR20 a reply is split into paragraphs at the start of a new line, not for every piece within a line", () => {
    const open = { kind: "assistant", id: "a", isOpen: true, printed: 0 } as const;
    const state = { ...initialScreenState, blocks: [{ ...open, text: "one\n\ntwo", isWithinLine: true }] };
    expect(splitFinished(state).rest).toBe(state);
    const begun = { ...initialScreenState, blocks: [{ ...open, text: "one\n\ntwo", isWithinLine: false }] };
    expect(splitFinished(begun).rest.blocks).toMatchObject([{ printed: 5 }]);
  });
});

describe("finished part of a block", () => {
  function paragraphsOf(text: string): readonly string[] {
    return [...splitParagraphs(text, 0)].map(({ start, end }) => text.slice(start, end));
  }

  test("a paragraph is stable once the next one has begun", () => {
    expect(findStablePrefix("one\n\n", 0).length).toBe(0);
    expect(findStablePrefix("one\n\n ", 0).length).toBe(0);
    expect(findStablePrefix("one\n\nt", 0).length).toBe(5);
    expect(findStablePrefix("one\ntwo\n", 0).length).toBe(0);
    expect(findStablePrefix("one\n```\n", 0).length).toBe(4);
  });

  test("blank lines within fenced code do not end a paragraph", () => {
    expect(findStablePrefix("```\na\n\nb\n", 0).length).toBe(0);
    expect(findStablePrefix("```\na\n\nb\n```", 0).length).toBe(0);
    expect(findStablePrefix("```\na\n\nb\n```\n", 0).length).toBe(13);
    expect(paragraphsOf("so:\n```\na\n\nb\n```\nand")).toEqual(["so:\n", "```\na\n\nb\n```\n", "and"]);
  });

  test("indented lines belong to the paragraph above", () => {
    expect(findStablePrefix("- a\n\n  more of a\n\n- b\n", 0).length).toBe(18);
    expect(paragraphsOf("- a\n\n  ```\nx\n\ny\n  ```\n")).toHaveLength(1);
  });

  test("SCR20 all but the last lines of a long code block are stable", () => {
    const code = Array.from({ length: 40 }, (_, at) => `line ${at}`).join("\n");
    const text = `\`\`\`ts\n${code}`;
    const first = findStablePrefix(text, 0);
    expect(first.code).toEqual({ fence: "```", language: "ts", start: 6 });
    expect(text.slice(first.length)).toBe(Array.from({ length: 5 }, (_, at) => `line ${at + 35}`).join("\n"));
    expect(findStablePrefix(text, first.length, first.code)).toEqual(first);
    expect(findOpenCode(text, first.length)).toEqual(first.code);
    const closed = findStablePrefix(`${text}\n\`\`\`\n\nso`, first.length, first.code);
    expect([closed.length, closed.code]).toEqual([`${text}\n\`\`\`\n\n`.length, null]);
  });

  test("SCR11 the paragraphs of a text join to the same text", () => {
    const line = fc.constantFrom("a", "", "  b", "```ts", "```", "  ```", "- c", "| d |", "> e", "```x``` y");
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
        const text = lines.join("\n");
        expect(paragraphsOf(text).join("")).toBe(text);
      }),
    );
  });
});
