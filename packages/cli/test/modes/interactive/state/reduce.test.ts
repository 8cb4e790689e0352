/** Tests modes/interactive/state/reduce.ts: events, queued messages. */

import { type AgentEvent, type CompactionEvent, REREAD_TYPE } from "@pith/agent";
import type { BashExecutionMessage, BranchSummaryEntry, CompactionEntry } from "@pith/context";
import { PIN_TYPE } from "@pith/context/host";
import { describe, expect, test } from "vitest";
import type { Block } from "../../../../src/modes/interactive/state/blocks.ts";
import { splitFinished } from "../../../../src/modes/interactive/state/finished-blocks.ts";
import { formatQueuedMessages, reduceEvent } from "../../../../src/modes/interactive/state/reduce.ts";
import { reduceEntry } from "../../../../src/modes/interactive/state/reduce-entry.ts";
import { initialScreenState, type ScreenState } from "../../../../src/modes/interactive/state/screen-state.ts";
import {
  appended,
  applyEvents,
  ended,
  listVisibleTexts,
  messageOf,
  pieces,
  restart,
  started,
} from "../../../support/reply-events.ts";

describe("events", () => {
  const begun: AgentEvent = { type: "agent_start" };
  const text = (words: string) => ({ type: "text", text: words }) as const;

  function after(events: readonly AgentEvent[], start: ScreenState = initialScreenState): ScreenState {
    return events.reduce((state, event) => reduceEvent(state, event, 0), start);
  }

  describe("a reply", () => {
    test("SCR13 that restarts keeps what was printed, followed by a note about the interruption", () => {
      const state = applyEvents([
        begun,
        started(),
        ...pieces([text("one\n\ntwo and")], 4),
        restart,
        ...pieces([text("three")], 9),
      ]);
      expect(listVisibleTexts(state)).toEqual(["one\n\n", "The reply above was interrupted.", "three"]);
    });

    test("SCR13 that restarts before anything was printed leaves nothing of the first attempt", () => {
      expect(listVisibleTexts(applyEvents([begun, started(), ...pieces([text("one")], 4), restart]))).toEqual([]);
    });

    test("SCR13 that was stopped is shown as far as it was logged, with its calls marked as broken off", () => {
      const parts = [text("half"), { type: "toolCall", id: "c", name: "ls", arguments: {} }] as const;
      const reply = messageOf(parts, "aborted");
      const stopped: AgentEvent = { type: "agent_end", messages: [reply], end: { type: "aborted" } };
      const { printed, state } = applyEvents([begun, started(), appended("e", reply), stopped]);
      const all = [...printed, ...state.blocks];
      expect(all.map(({ kind }) => kind)).toEqual(["assistant", "tool", "note"]);
      expect(all[1]).toMatchObject({ state: "broken-off" });
      expect(all[2]).toMatchObject({ text: "Stopped. The model will not see this unfinished reply.", tone: "warning" });
    });

    test("from the log that failed is followed by its error message", () => {
      const { blocks } = reduceEntry(initialScreenState, {
        ...{ type: "message", id: "e", parentId: null, timestamp: "" },
        message: { ...messageOf([text("half")], "error"), errorMessage: "the line went dead" },
      });
      expect(blocks.map((block) => ("text" in block ? block.text : ""))).toEqual(["half", "the line went dead"]);
    });

    test("MET21 a pinned entry is shown by its beginning, and a pin without text is not shown", () => {
      const pin = { type: "custom", id: "e", parentId: null, timestamp: "", customType: PIN_TYPE } as const;
      const { blocks } = reduceEntry(initialScreenState, {
        ...pin,
        data: { entryId: "x", text: "a word ".repeat(99) },
      });
      expect(blocks).toEqual([{ kind: "pin", id: "e", text: expect.stringMatching(/^(?:a word )+.*…$/) }]);
      for (const data of [null, {}, { text: 7 }])
        expect(reduceEntry(initialScreenState, { ...pin, data }).blocks).toEqual([]);
    });

    test("that was printed completely leaves no empty block", () => {
      const parts = [text("one\n\n"), { type: "toolCall", id: "c", name: "ls", arguments: {} }] as const;
      const { state } = applyEvents([begun, started(), ...pieces([text("one\n\nx")], 9)]);
      const drafts = { ...state, blocks: state.blocks.map((block) => ({ ...block, text: "one\n\n" }) as Block) };
      expect(after([appended("e", messageOf(parts))], drafts).blocks.map(({ kind }) => kind)).toEqual(["tool"]);
    });

    test("that restarts gives each block a new id", () => {
      const reply = [started(), ...pieces([{ type: "thinking", thinking: "hm" }, text("so\n\nand")], 3)];
      const { printed, state } = applyEvents([begun, ...reply, restart, ...reply, restart, ...reply]);
      const ids = [...printed, ...state.blocks]
        .filter(({ kind }) => kind === "note" || kind === "thinking")
        .map(({ id }) => id);
      // The last thought stands twice: printed, and as the place that is kept for it.
      expect(new Set(ids).size).toBe(ids.length - 1);
    });

    test("has the duration of its thinking", () => {
      const thinking: AgentEvent = { type: "message_update", delta: { type: "thinking-delta", text: "hm" } };
      const answer: AgentEvent = { type: "message_update", delta: { type: "text-delta", text: "so" } };
      const { blocks } = reduceEvent(reduceEvent(initialScreenState, thinking, 1_000), answer, 4_500);
      expect(blocks[0]).toMatchObject({ kind: "thinking", isOpen: false, durationMs: 3_500 });
    });
  });

  describe("a compaction", () => {
    const entry: CompactionEntry = {
      ...{
        type: "compaction",
        id: "k",
        parentId: null,
        timestamp: "",
        summary: "",
        firstKeptEntryId: "k",
        tokensBefore: 9,
      },
    };
    const compacted: AgentEvent = { type: "entry_appended", entry };
    const quality: CompactionEvent = {
      ...{
        type: "compaction_quality",
        compactionId: "k",
        findings: [{ code: "repaired", note: "two places were mended" }],
      },
    };

    test("MET23 warns of messages that are neither shown nor carried over", () => {
      const note = "Not shown and not carried over: 23 messages, #5–#61; `read #N` opens one.";
      const hidden: CompactionEvent = { ...quality, findings: [{ code: "user-messages-hidden", note }] };
      const warning =
        "23 of your messages are neither shown nor carried over by the summary: #5–#61 (see /rules; /pin #61 brings one back)";
      expect(after([compacted, hidden]).blocks).toMatchObject([{ kind: "compaction", warnings: [warning] }]);
      expect(after([hidden]).blocks).toMatchObject([{ kind: "note", tone: "warning", text: warning }]);
    });

    test("RST8 is followed by one line with the files that were read again, without their text", () => {
      const file = { path: "/w/a.ts", name: "a.ts", hash: "0".repeat(64), tokens: 1_200 };
      const files = [file, { ...file, path: "/w/b.ts", name: "b.ts", tokens: 140 }];
      const reread: AgentEvent = {
        type: "entry_appended",
        entry: {
          ...{ type: "custom_message", id: "f", parentId: "k", timestamp: "", display: false },
          ...{ customType: REREAD_TYPE, content: "let a = 1;", details: { pith: { files } } },
        },
      };
      const rereadFiles = "read 2 files again (1,340 tokens): a.ts, b.ts";
      const state = after([compacted, reread]);
      expect(state.blocks).toMatchObject([{ kind: "compaction", rereadFiles }]);
      expect(splitFinished(state).blocks).toEqual([]);
      const printed = after([reread], { ...state, blocks: [] }).blocks;
      expect(printed).toMatchObject([{ kind: "note", text: rereadFiles }]);
    });

    test("SCR14 shows its current step", () => {
      const start: AgentEvent = { type: "compaction_start", reason: "threshold" };
      const writing: AgentEvent = { type: "compaction_progress", reason: "threshold", step: "writing", tokens: 1_200 };
      const { activity } = after([start, writing]);
      expect(activity).toMatchObject({ type: "compacting", step: "summarizing, 1.2k tokens so far" });
      const answered: AgentEvent = { type: "compaction_progress", reason: "threshold", step: "answered", attempts: 1 };
      expect(after([start, writing, answered]).activity).toEqual(activity);
    });

    test("SCR14 shows how long it has waited for the first token, and why it retries", () => {
      const about = { reason: "threshold", source: "compaction" } as const;
      const start: AgentEvent = { type: "compaction_start", reason: "threshold" };
      const waits = { step: "awaiting-first-token", elapsedMs: 180_000, limitMs: 600_000 } as const;
      const waiting: AgentEvent = { type: "compaction_progress", reason: "threshold", ...waits };
      const errorMessage = "no token arrived within 10 min";
      const again = {
        type: "summarization_retry_scheduled",
        ...about,
        attempt: 1,
        delayMs: 1_000,
        errorMessage,
      } as const;
      const steps = [[waiting], [again], [again, { type: "summarization_retry_attempt_start", ...about } as const]].map(
        (events) => after([start, ...events]).activity,
      );
      expect(steps).toMatchObject([
        { type: "compacting", step: "no response after 3 min, waiting up to 10 min" },
        { type: "compacting", step: "no token arrived within 10 min; retrying in 1 s" },
        { type: "compacting", step: "retrying" },
      ]);
    });

    test("SCR14 has the warnings of its quality event, or a note has them if it was printed already", () => {
      expect(after([compacted, quality]).blocks).toMatchObject([{ warnings: ["two places were mended"] }]);
      expect(after([quality]).blocks).toMatchObject([
        { kind: "note", tone: "warning", text: "two places were mended" },
      ]);
    });

    test("SCR14 is marked when it is undone and unmarked when it is redone, with a note if it was printed", () => {
      const undone: AgentEvent = { type: "compaction_undone", compactionId: "k", leafId: null };
      const redone: AgentEvent = { type: "compaction_redone", compactionId: "k", leafId: null };
      expect(after([compacted, undone]).blocks).toMatchObject([{ isUndone: true }]);
      expect(after([compacted, undone, redone]).blocks).toMatchObject([{ isUndone: false }]);
      expect(after([undone, redone]).blocks.map(({ kind }) => kind)).toEqual(["note", "note"]);
    });
  });

  test("ELI9 removing outdated results adds a note, and so does restoring them", () => {
    const figures = { removalId: "e9", count: 14, tokens: 23_000 };
    const { blocks } = after([
      { type: "outdated_results_removed", ...figures },
      { type: "outdated_results_restored", ...figures },
    ]);
    expect(blocks).toMatchObject([
      {
        ...{ kind: "note", tone: "plain" },
        text: "removed 14 outdated tool results from the context: −23.0k tokens; /undo brings them back",
      },
      {
        ...{ kind: "note", tone: "plain" },
        text: "brought 14 outdated tool results back into the context: +23.0k tokens; /redo removes them again",
      },
    ]);
  });

  test("SCR15 a move adds a divider, and the branch summary after it", () => {
    const summaryEntry: BranchSummaryEntry = {
      ...{ type: "branch_summary", id: "b", parentId: null, timestamp: "", fromId: "x", summary: "tried it" },
    };
    const moved: AgentEvent = { type: "session_tree", newLeafId: "b", oldLeafId: "x", summaryEntry };
    const { blocks, activity } = after([
      { type: "branch_summary_progress", step: "writing", tokens: 100 },
      { type: "entry_appended", entry: summaryEntry },
      moved,
    ]);
    expect(blocks).toMatchObject([
      { kind: "note", isDivider: true },
      { kind: "branch-summary", id: "b" },
    ]);
    expect(activity).toEqual({ type: "idle" });
  });

  test("SCR15 a move removes the hint of the old position", () => {
    const moved: AgentEvent = { type: "session_tree", newLeafId: "b", oldLeafId: "x" };
    expect(after([moved], { ...initialScreenState, hint: "Undo with Alt+U." }).hint).toBeNull();
  });

  test("a logged shell line replaces the block shown while it ran", () => {
    const open = { kind: "shell", id: "draft:s", command: "ls", output: "a", exitCode: null } as const;
    const start = { ...initialScreenState, blocks: [{ ...open, isCancelled: false, isPrivate: false, isOpen: true }] };
    const message: BashExecutionMessage = {
      ...{
        role: "bashExecution",
        command: "ls",
        output: "a\nb",
        exitCode: 0,
        cancelled: false,
        truncated: false,
        timestamp: 0,
      },
    };
    const { blocks } = after([appended("e", message)], start);
    expect(blocks).toMatchObject([{ kind: "shell", id: "e", output: "a\nb", isOpen: false }]);
  });

  test("the end of a run marks waiting calls as broken off", () => {
    const call = {
      kind: "tool",
      id: "c",
      tool: "ls",
      arguments: {},
      output: "",
      images: [],
      state: "waiting",
    } as const;
    expect(after([ended], { ...initialScreenState, blocks: [call] }).blocks).toMatchObject([{ state: "broken-off" }]);
  });
});

describe("queued messages", () => {
  test("TYP1 a queued message is shown in one line, without the text of its files", () => {
    const messages = [
      "leave the snapshots alone",
      "look at @a.ts first\nand then at the rest",
      "what is [image 1: 16 bytes PNG]?",
      "one\ntwo\nthree",
    ];
    expect(formatQueuedMessages(messages)).toEqual([
      "leave the snapshots alone",
      "look at @a.ts first (+1 line)",
      "what is [image 1: 16 bytes PNG]?",
      "one (+2 lines)",
    ]);
  });

  test("TYP1 a very long queued message is shortened", () => {
    const [kept = ""] = formatQueuedMessages([`${"x".repeat(1_000_000)}\n${"y\n".repeat(100_000)}end`]);
    expect(kept.length).toBeLessThan(1_100);
    expect(kept).toMatch(/x \(\+100,001 lines\)$/);
  });
});
