/** Story 35: somebody wants to go elsewhere while a summary is being written. First the one, then the other. */

import { expect, test } from "vitest";
import { moveTo } from "../../src/branches/move.ts";
import type { CompactOptions } from "../../src/default-compaction.ts";
import type { Session } from "../../src/session/session.ts";
import { testRuntime } from "../../src/testing/scripted-model.ts";
import { compactSmall, contextLines, createSession, repeatWord, smallBudget } from "../support/small-session.ts";

const lines = ["user: one", `says: ${repeatWord(900)}`, "user: two"];
const moving = (session: Session) =>
  moveTo({ session, target: "e2", budget: smallBudget(), runtime: testRuntime("m") });

/** A compaction that waits in its hook until it is let go. */
function held(session: Session): { readonly letGo: () => void; readonly outcome: ReturnType<typeof compactSmall> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const hooks: CompactOptions["hooks"] = { session_before_compact: [() => promise] };
  return { letGo: () => resolve(undefined), outcome: compactSmall(session, { hooks }) };
}

test("MOVE5 B80 a move during a compaction is refused with a reason, and works afterwards", async () => {
  const session = await createSession(...lines);
  const { letGo, outcome } = held(session);
  expect(await moving(session)).toEqual({ type: "refused", why: "compacting" });
  letGo();
  expect(await outcome).toMatchObject({ type: "compacted" });
  expect(await moving(session)).toMatchObject({ type: "moved" });
  expect(contextLines(session)).toHaveLength(2);
});

test("MOVE5 B80 a move is refused during a streamed reply and during another move", async () => {
  const session = await createSession(...lines);
  const ended = session.markBusy("streaming");
  expect(await moving(session)).toEqual({ type: "refused", why: "streaming" });
  ended();
  const [first, second] = await Promise.all([moving(session), moving(session)]);
  expect(first).toMatchObject({ type: "moved" });
  expect(second).toEqual({ type: "refused", why: "moving" });
});

test("MOVE5 a failed compaction leaves no lock", async () => {
  const session = await createSession(...lines);
  const hooks = { session_before_compact: [() => ({ cancel: true })] };
  expect(await compactSmall(session, { hooks })).toEqual({ type: "cancelled" });
  expect(session.busyReasons).toEqual([]);
  expect(await moving(session)).toMatchObject({ type: "moved" });
});
