/** Document 004, "Split Turns": entries 1 to 6 are the covered beginning of one huge turn, 7 and 8 are kept (B32, B45). */

import { expect, test } from "vitest";
import type { CompactionPreparation } from "../../src/compaction-hooks/hook-preparation.ts";
import type { Session } from "../../src/session/session.ts";
import { budgetKeeping, compactSmall, contextLines, createSession, repeatWord } from "../support/small-session.ts";

const long = repeatWord(200);
const turn = [
  "user: rename it everywhere",
  "calls: grep pattern=old",
  `result: ${long}`,
  "calls: edit path=a.ts; edit path=b.ts",
  `result: ${long}`,
  `result: ${long}`,
  "calls: bash command=test",
  `result: ${long}`,
];

async function prepared(session: Session, messages: number): Promise<CompactionPreparation | null> {
  let received: CompactionPreparation | null = null;
  const hook = ({ preparation }: { readonly preparation: CompactionPreparation }) => {
    received = preparation;
    return { cancel: true };
  };
  await compactSmall(session, { budget: budgetKeeping(session, messages), hooks: { session_before_compact: [hook] } });
  return received;
}

const roles = (messages: readonly { readonly role: string }[]): string => messages.map(({ role }) => role).join(" ");

test("CUT4 B32 the preparation of a split turn has its first six messages and nothing before it", async () => {
  const preparation = await prepared(await createSession(...turn), 2);
  expect(preparation).toMatchObject({ isSplitTurn: true, firstKeptEntryId: "e7", messagesToSummarize: [] });
  expect(roles(preparation?.turnPrefixMessages ?? [])).toBe(
    "user assistant toolResult assistant toolResult toolResult",
  );
});

test("CUT4 KEEP4 entries 7 and 8 are kept, after the user's request of this turn", async () => {
  const session = await createSession(...turn);
  await compactSmall(session, { budget: budgetKeeping(session, 2) });
  const [front, ...kept] = contextLines(session);
  expect(front).toMatch(/# The user's latest request.* \[#1\] rename it everywhere$/);
  expect(kept).toEqual(["1 assistant [c4: bash command=test]", `2 tool      c4 -> ${long}`]);
});

test("CUT4 B33 a cut before a user message splits no turn", async () => {
  const preparation = await prepared(await createSession(...turn, "user: go on", "says: done"), 2);
  expect(preparation).toMatchObject({ isSplitTurn: false, turnPrefixMessages: [], firstKeptEntryId: "e9" });
  expect(preparation?.messagesToSummarize).toHaveLength(8);
});

test("CUT4 CUT5 B45 the earlier summary is passed on if nothing is between it and the split turn", async () => {
  const session = await createSession(
    "user: hello",
    "says: hi",
    turn[0] ?? "",
    "compacts: They said hello., keeps e3",
    ...turn.slice(1),
  );
  const preparation = await prepared(session, 2);
  expect(preparation).toMatchObject({
    isSplitTurn: true,
    messagesToSummarize: [],
    previousSummary: "They said hello.",
  });
});
