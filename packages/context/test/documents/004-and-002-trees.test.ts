/** Documents 004 and 002, the trees of a move: a summary is attached where one goes, though 004 draws it where one was (B69, B70). */

import { expect, test } from "vitest";
import { collectEntriesForBranchSummary } from "../../src/branches/generate-branch-summary.ts";
import { type MoveResult, moveTo } from "../../src/branches/move.ts";
import { buildSessionContext } from "../../src/context/build-context.ts";
import type { NewEntry, Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { createSession, tailBudget } from "../support/small-session.ts";

// Every message is a note: nobody writes it anew, so that choosing one goes there.
const note = (id: string): NewEntry => ({ type: "message", id, message: { role: "custom", ...noted, content: id } });
const noted = { customType: "note", display: true, timestamp: 1 };

/** Branches as drawn; the last is the one we stand on. */
async function tree(...branches: readonly string[]): Promise<Session> {
  const session = await createSession();
  for (const branch of branches) {
    const [root = "", ...rest] = branch.split(" ");
    if (await session.store.entry(root)) await session.move(root, { newEntries: rest.map(note) });
    else await session.append(...[root, ...rest].map(note));
  }
  return session;
}

const summary = { models: [] };

function moving(session: Session, target: string): Promise<MoveResult> {
  const hooks = { session_before_tree: [() => ({ summary: { summary: "It was tried." } })] };
  return moveTo({ session, target, budget: tailBudget(500), runtime: testRuntime("m"), summary, hooks });
}

const pictures = [
  ["004", ["A E F", "A B C D"], { ancestor: "A", left: "B C D", from: "D", to: "F", context: "A E F" }],
  [
    "002",
    ["root B1 B2 B3", "root A1 A2 A3 A4"],
    { ancestor: "root", left: "A1 A2 A3 A4", from: "A4", to: "B3", context: "root B1 B2 B3" },
  ],
] as const;

test.each(pictures)(
  "BR1 TREE8 B65 document %s: the entries after the common ancestor are left behind",
  async (_, drawn, expected) => {
    const { store } = await tree(...drawn);
    const { entries, commonAncestorId } = await collectEntriesForBranchSummary(store, expected.from, expected.to);
    expect([commonAncestorId, entries.map(({ id }) => id).join(" ")]).toEqual([expected.ancestor, expected.left]);
  },
);

test.each(pictures)("MOVE3 B69 B70 document %s: the summary is a child of the target", async (_, drawn, expected) => {
  const session = await tree(...drawn);
  const moved = await moving(session, expected.to);
  expect(moved).toMatchObject({ type: "moved", summary: { parentId: expected.to, fromId: expected.from } });
  expect(buildSessionContext(session.branch).sources.join(" ")).toBe(`${expected.context} ${session.leaf}`);
});

test.each(pictures)("LOG1 B69 document %s: the branch that was left is unchanged", async (_, drawn, expected) => {
  const session = await tree(...drawn);
  const before = await session.branchEntries(expected.from);
  await moving(session, expected.to);
  expect(await session.branchEntries(expected.from)).toEqual(before);
  expect((await session.branchEntries(expected.from)).map(({ type }) => type)).not.toContain("branch_summary");
});

test("MOVE1 B64 a move without a summary only changes the position", async () => {
  const session = await tree("A E F", "A B C D");
  expect(await moveTo({ session, target: "F", budget: tailBudget(500), runtime: testRuntime("m") })).toEqual({
    type: "moved",
    leaf: session.leaf,
  });
  expect(buildSessionContext(session.branch).sources.join(" ")).toBe("A E F");
});
