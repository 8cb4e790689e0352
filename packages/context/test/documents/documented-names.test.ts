/** The names that the five documents give to things are the names at the door: whoever knows pi finds them here. */

import { expect, test } from "vitest";
import type {
  AssistantMessage,
  BashExecutionMessage,
  BranchSummaryEntry,
  BranchSummaryMessage,
  CompactionEntry,
  CompactionPreparation,
  CompactionSummaryMessage,
  CustomMessage,
  SessionBeforeCompactEvent,
  SessionBeforeTreeEvent,
  ToolResultMessage,
  TreePreparation,
  UserMessage,
} from "../../src/index.ts";
import * as door from "../../src/index.ts";

test("SUM6 functions: 000 and 001 name the first six, 002 the next three, 004 the last three", () => {
  expect(Object.keys(door)).toEqual(
    expect.arrayContaining([
      "shouldCompact",
      "prepareCompaction",
      "compact",
      "generateSummary",
      "calculateContextTokens",
      "findCutPoint",
      "convertToLlm",
      "serializeConversation",
      "buildSessionContext",
      "collectEntriesForBranchSummary",
      "prepareBranchEntries",
      "generateBranchSummary",
    ]),
  );
});

/** Kinds and fields as the documents spell them; this compiles, or the test does not. */
type Spelled = [
  UserMessage["role"] & "user",
  AssistantMessage["stopReason"],
  ToolResultMessage["toolCallId"],
  BashExecutionMessage["command"],
  CustomMessage["customType"],
  CompactionSummaryMessage["summary" | "tokensBefore"],
  BranchSummaryMessage["summary" | "fromId"],
  CompactionEntry["summary" | "firstKeptEntryId" | "tokensBefore" | "details" | "fromHook"],
  BranchSummaryEntry["summary" | "fromId" | "details" | "fromHook"],
  CompactionPreparation["messagesToSummarize" | "turnPrefixMessages" | "isSplitTurn" | "previousSummary" | "fileOps"],
  CompactionPreparation["tokensBefore" | "firstKeptEntryId" | "settings"],
  SessionBeforeCompactEvent["preparation" | "branchEntries" | "customInstructions" | "signal"],
  SessionBeforeTreeEvent["preparation" | "signal"],
  TreePreparation["targetId" | "oldLeafId" | "commonAncestorId" | "entriesToSummarize" | "userWantsSummary"],
];

test("HOOK1 kinds: events and entries bear the documents' names", () => {
  const kinds: readonly (
    | SessionBeforeCompactEvent
    | SessionBeforeTreeEvent
    | CompactionEntry
    | BranchSummaryEntry
  )["type"][] = ["session_before_compact", "session_before_tree", "compaction", "branch_summary"];
  expect(new Set(kinds).size).toBe(4 satisfies Spelled["length"] extends 14 ? 4 : never);
});
