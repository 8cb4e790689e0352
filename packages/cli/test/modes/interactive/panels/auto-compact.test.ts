/** Tests the reason in the question before a compaction: a context that is full, or a model with a smaller window. */

import type { SessionBeforeCompactEvent } from "@pith/context";
import { POSTPONE_TYPE } from "@pith/context/host";
import { expect, test } from "vitest";
import { CompactionConsent } from "../../../../src/modes/interactive/panels/auto-compact.ts";
import type { Panel } from "../../../../src/modes/interactive/panels/panel.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import type { InteractiveContext } from "../../../../src/modes/interactive/screen-context.ts";
import { createCommandContext } from "../../../support/command-context.ts";

const sight = { width: 90, height: 20, theme: createTheme("none") };

async function askUser(
  tokensBefore: number,
  answer: unknown,
  { wasPostponed = false } = {},
): Promise<{ panelText: string; reply: unknown; isOn: boolean }> {
  const { agent } = await createCommandContext(["user: one", "says: two"], { model: { contextWindow: 200_000 } });
  if (wasPostponed) await agent.session.append({ type: "custom", customType: POSTPONE_TYPE });
  let panelText = "";
  const ask = async (panel: Panel<unknown, unknown>): Promise<unknown> => {
    panelText = panel.render(panel.initialState, sight).join("\n");
    return answer;
  };
  const talking = { app: { agent }, screen: { showPanel: ask } } as unknown as InteractiveContext;
  const { signal } = new AbortController();
  const event = { preparation: { tokensBefore }, signal, reason: "threshold" } as unknown as SessionBeforeCompactEvent;
  const reply = await new CompactionConsent(talking).handleBeforeCompact(event);
  return { panelText, reply, isOn: agent.budget.limits.enabled };
}

test("MET14 a change to a smaller context window asks with its own question, and No keeps the model", async () => {
  const no = await askUser(90_000, false);
  expect(no.panelText).toContain("The new model has a smaller context window");
  expect(no.panelText).not.toContain("is full");
  expect(no).toMatchObject({ reply: { cancel: true }, isOn: true });
  expect((await askUser(90_000, true)).reply).toBe(undefined);
});

test("MET14 closing the question without an answer keeps the current model", async () => {
  expect((await askUser(90_000, null)).reply).toEqual({ cancel: true });
});

test("MET14 a full context asks with the compaction threshold in the question", async () => {
  const { panelText, reply } = await askUser(190_000, "now");
  expect(panelText).toContain("The context has reached the compaction threshold");
  expect(reply).toBe(undefined);
});

test("MET14 the question warns of little free space only if the numbers show it", async () => {
  const first = await askUser(185_000, "later");
  expect(first.panelText).toContain("185,000 tokens. The threshold is 183,616, and the window holds 200,000.");
  expect(first.panelText).not.toContain("rejected");
  expect(first.reply).toEqual({ postpone: true });
  const second = await askUser(185_000, "later", { wasPostponed: true });
  expect(second.panelText).toBe(first.panelText);
  expect(second.reply).toEqual({ cancel: true });
  expect((await askUser(195_000, "now")).panelText).toContain("Only 5,000 tokens of the window are free");
  expect((await askUser(201_000, "now")).panelText).toContain("The window is full: the next request may be rejected");
});
