/** Whoever wants to be asked is asked for what it is: a context that is full, or a model that sees less. */

import type { SessionBeforeCompactEvent } from "@pith/context";
import { POSTPONE_TYPE } from "@pith/context/host";
import { expect, test } from "vitest";
import { CompactionConsent } from "../../../../src/modes/interactive/panels/auto-compact.ts";
import type { Panel } from "../../../../src/modes/interactive/panels/panel.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import type { InteractiveContext } from "../../../../src/modes/interactive/screen-context.ts";
import { createCommandContext } from "../../../commands/desks.ts";

const sight = { width: 90, height: 20, theme: createTheme("none") };

async function asked(
  tokensBefore: number,
  answer: unknown,
  { wasPostponed = false } = {},
): Promise<{ seen: string; reply: unknown; isOn: boolean }> {
  const { agent } = await createCommandContext(["user: one", "says: two"], { model: { contextWindow: 200_000 } });
  if (wasPostponed) await agent.session.append({ type: "custom", customType: POSTPONE_TYPE });
  let seen = "";
  const ask = async (panel: Panel<unknown, unknown>): Promise<unknown> => {
    seen = panel.render(panel.initialState, sight).join("\n");
    return answer;
  };
  const talking = { app: { agent }, screen: { showPanel: ask } } as unknown as InteractiveContext;
  const { signal } = new AbortController();
  const event = { preparation: { tokensBefore }, signal, reason: "threshold" } as unknown as SessionBeforeCompactEvent;
  const reply = await new CompactionConsent(talking).handleBeforeCompact(event);
  return { seen, reply, isOn: agent.budget.limits.enabled };
}

test("MET14 a change to a smaller context window asks with its own question, and No keeps the model", async () => {
  const no = await asked(90_000, false);
  expect(no.seen).toContain("The new model has a smaller context window");
  expect(no.seen).not.toContain("is full");
  expect(no).toMatchObject({ reply: { cancel: true }, isOn: true });
  expect((await asked(90_000, true)).reply).toBe(undefined);
});

test("MET14 closing the question without an answer keeps the current model", async () => {
  expect((await asked(90_000, null)).reply).toEqual({ cancel: true });
});

test("MET14 a full context asks with the compaction threshold in the question", async () => {
  const { seen, reply } = await asked(190_000, "now");
  expect(seen).toContain("The context has reached the compaction threshold");
  expect(reply).toBe(undefined);
});

test("MET14 the question warns of little free space only if the numbers show it", async () => {
  const first = await asked(185_000, "later");
  expect(first.seen).toContain("185,000 tokens. The threshold is 183,616, and the window holds 200,000.");
  expect(first.seen).not.toContain("rejected");
  expect(first.reply).toEqual({ postpone: true });
  const second = await asked(185_000, "later", { wasPostponed: true });
  expect(second.seen).toBe(first.seen);
  expect(second.reply).toEqual({ cancel: true });
  expect((await asked(195_000, "now")).seen).toContain("Only 5,000 tokens of the window are free");
  expect((await asked(201_000, "now")).seen).toContain("The window is full: the next request may be rejected");
});
