/** What a log says of sub-agents. */

import assert from "node:assert/strict";
import type { Entry } from "@pith/context";
import { QUEUE_TYPE, zeroUsage } from "@pith/context/host";
import { test } from "vitest";
import {
  findStartedSubAgents,
  parseSubAgentLog,
  readSubAgentLog,
  selectOpenSubAgents,
} from "../../src/sub-agents/log.ts";

const placed = { parentId: null, timestamp: "2026-01-01T00:00:00.000Z" };
const started = (id: string) => ({ id, agent: "scout", task: "look", path: `/${id}.jsonl` });
const details = (id: string) => ({ subAgents: [{ id }] });

test("AGT9 a sub-agent counts as reported by a tool result, a message, a queued message or a mark that it was dropped", () => {
  const entries: Entry[] = [
    ...["a", "b", "c", "d", "e"].map((id, at) => ({
      ...placed,
      id: `s${at}`,
      type: "custom" as const,
      customType: "subagent",
      data: started(id),
    })),
    {
      ...placed,
      ...{ id: "1", type: "message" },
      message: {
        role: "toolResult",
        toolCallId: "t",
        toolName: "subagent",
        content: [],
        details: details("a"),
        isError: false,
        timestamp: 0,
      },
    },
    {
      ...placed,
      id: "2",
      type: "custom_message",
      customType: "subagent",
      content: "",
      display: true,
      details: details("b"),
    },
    {
      ...placed,
      ...{ id: "3", type: "custom", customType: QUEUE_TYPE },
      data: {
        id: "q",
        kind: "steer",
        content: "",
        custom: { customType: "subagent", display: true, details: details("c") },
      },
    },
    { ...placed, id: "4", type: "custom", customType: "subagent", data: { id: "d", isDropped: true } },
    { ...placed, id: "5", type: "usage", kind: "subagent", provider: "p", model: "m", usage: zeroUsage, note: "e" },
  ];
  const { reportedIds, paidIds, subAgents: all } = parseSubAgentLog(entries);
  assert.deepEqual(
    [all.map(({ id }) => id), [...reportedIds].sort(), [...paidIds]],
    [["a", "b", "c", "d", "e"], ["a", "b", "c", "d"], ["e"]],
  );
});

test("AGT16 after a compaction the log is read from its mark, which has the sub-agents that are still open", async () => {
  const begun = (id: string, parentId: string | null): Entry => ({
    ...{ ...placed, id: `s${id}`, parentId },
    ...{ type: "custom", customType: "subagent", data: started(id) },
  });
  const paid: Entry = {
    ...placed,
    id: "u",
    type: "usage",
    kind: "subagent",
    provider: "p",
    model: "m",
    usage: zeroUsage,
    note: "b",
  };
  const endEntry: Entry = {
    ...placed,
    id: "t",
    type: "custom",
    customType: "subagent",
    data: { id: "a", isDropped: true },
  };
  const history = [begun("a", null), begun("b", "sa"), begun("c", "sb"), endEntry, paid];
  let reads = 0;
  const session = (entries: readonly Entry[]) => ({
    entries: () => entries,
    branch: async () => {
      reads += 1;
      return [...history, ...entries];
    },
  });
  const names = async (entries: readonly Entry[]) =>
    (await readSubAgentLog(session(entries))).subAgents.map(({ id }) => id);
  assert.deepEqual([await names([]), await names(history), reads], [[], ["a", "b", "c"], 0]);
  const data = selectOpenSubAgents(parseSubAgentLog(history));
  assert.deepEqual(
    data.open.map(({ id, isPaid }) => [id, isPaid]),
    [
      ["b", true],
      ["c", false],
    ],
  );
  const mark: Entry = { ...placed, id: "m", parentId: "k", type: "custom", customType: "subagent", data };
  const loaded = [mark, begun("d", "m")];
  assert.deepEqual([await names(loaded), reads], [["b", "c", "d"], 0]);
  assert.deepEqual([...(await readSubAgentLog(session(loaded))).paidIds], ["b"]);
  assert.deepEqual([await names([begun("d", "k")]), reads], [["a", "b", "c", "d"], 1], "nobody left a mark");
  assert.equal((await findStartedSubAgents(session(loaded), "d")).length, 3);
  assert.deepEqual(
    [(await findStartedSubAgents(session(loaded), "a")).length, reads],
    [4, 2],
    "of one that is long told",
  );
});
