/** Document 004, before and after a compaction: entries 0 to 10. Its "session reloads" is no more than a context built anew (B59). */

import { expect, test } from "vitest";
import { buildSessionContext } from "../../src/context/build-context.ts";
import { buildRequest } from "../../src/context/build-request.ts";
import type { Session } from "../../src/session/session.ts";
import { budgetKeeping, compactSmall, createSession, repeatWord } from "../support/small-session.ts";
import { storyModel } from "../support/story-context.ts";

const long = repeatWord(240);

// Entry 0 is the header, so that entry 4 is e4.
const lines = [
  "user: fix the parser",
  "calls: read path=parser.ts",
  `result: the first ${long}`,
  "user: and its tests",
  "calls: read path=one.test.ts; read path=two.test.ts",
  `result: the second ${long}`,
  `result: the third ${long}`,
  "calls: edit path=one.test.ts",
  `result: the fourth ${long}`,
];

async function compacted(...before: readonly string[]): Promise<Session> {
  const session = await createSession(...before, ...lines);
  expect(await compactSmall(session, { budget: budgetKeeping(session, 6) })).toMatchObject({ type: "compacted" });
  return session;
}

function rolesSent({ branch: window }: Session): string {
  const { system, messages } = buildRequest(buildSessionContext(window), { model: storyModel });
  return [...system.map(() => "system"), ...messages.map(({ role }) => role)].join(" ");
}

test("CTX2 CUT2 entries 1 to 3 are not sent, 4 to 9 are, and entry 10 is the compaction", async () => {
  const session = await compacted();
  const branch = await session.branchEntries();
  expect(branch.map(({ id }) => id).slice(0, 9)).toEqual(["e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9"]);
  expect(branch.slice(9)).toMatchObject([{ type: "compaction", parentId: "e9", firstKeptEntryId: "e4" }]);
  const { sources } = buildSessionContext(session.branch);
  expect(sources.slice(1)).toEqual(["e4", "e5", "e6", "e7", "e8", "e9"]);
});

test("CTX2 CTX13 the model sees the system prompt, the summary, and everything from the first kept entry", async () => {
  const roles = "user user assistant toolResult toolResult assistant toolResult";
  expect(rolesSent(await compacted())).toBe(roles);
  expect(rolesSent(await compacted("system: you are careful"))).toBe(`system ${roles}`);
});

test("CTX1 B59 loading the file again gives the same context", async () => {
  const session = await compacted();
  const again = await session.store.loadBranch(session.leaf);
  expect(buildSessionContext(again)).toEqual(buildSessionContext(session.branch));
});

test("LOG8 TREE1 B55 B56 the entry has an ISO time and a parent id", async () => {
  const [compaction] = (await (await compacted()).branchEntries()).slice(-1);
  expect(compaction?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const [first] = await (await compacted()).branchEntries();
  expect(first?.parentId).toBeNull();
});
