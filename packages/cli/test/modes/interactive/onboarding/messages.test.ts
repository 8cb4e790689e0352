/** A model that cannot be asked: what is told then. */

import { expect, test } from "vitest";
import { addAdvice } from "../../../../src/modes/interactive/onboarding/messages.ts";
import { reduceEvent } from "../../../../src/modes/interactive/state/reduce.ts";
import { initialScreenState } from "../../../../src/modes/interactive/state/screen-state.ts";

test("FST8 a refused key and a server that is not there come with what to do next", () => {
  expect(addAdvice({ type: "failed", why: "anthropic returned 401", code: "key-refused" })).toMatch(
    /^anthropic returned 401\n.*keys\.json.*\/model.*pith doctor/,
  );
  expect(addAdvice({ type: "failed", why: "it could not be reached", code: "unreachable" })).toMatch(
    /Send your message again.*\/model.*pith doctor/,
  );
  expect(addAdvice({ type: "failed", why: "too long" })).toBe("too long");
});

test("FST8 it stands in the transcript", () => {
  const end = { type: "failed", why: "it could not be reached", code: "unreachable" } as const;
  const { blocks } = reduceEvent(initialScreenState, { type: "agent_end", messages: [], end }, 0);
  expect(blocks.at(-1)).toMatchObject({ kind: "note", tone: "bad", text: addAdvice(end) });
});
