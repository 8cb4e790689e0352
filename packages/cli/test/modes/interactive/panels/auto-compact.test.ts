/** Whoever wants to be asked is asked for what it is: a context that is full, or a model that sees less. */

import type { SessionBeforeCompactEvent } from "@pith/context";
import { expect, test } from "vitest";
import { CompactionConsent } from "../../../../src/modes/interactive/panels/auto-compact.ts";
import type { Panel } from "../../../../src/modes/interactive/panels/panel.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import type { InteractiveContext } from "../../../../src/modes/interactive/screen-context.ts";
import { deskOf } from "../../../commands/desks.ts";

const sight = { width: 90, height: 20, theme: createTheme("none") };

async function asked(tokensBefore: number, answer: unknown): Promise<{ seen: string; reply: unknown; isOn: boolean }> {
  const { agent } = await deskOf(["user: one", "says: two"], { model: { contextWindow: 200_000 } });
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

test("MET14 before a change to a model that sees less, it is asked what it is for; no keeps everything as it was", async () => {
  const no = await asked(90_000, false);
  expect(no.seen).toContain("The new model has a smaller context window");
  expect(no.seen).not.toContain("is full");
  expect(no).toMatchObject({ reply: { cancel: true }, isOn: true });
  expect((await asked(90_000, true)).reply).toBe(undefined);
});

test("MET14 whoever does not answer keeps the model that speaks", async () => {
  expect((await asked(90_000, null)).reply).toEqual({ cancel: true });
});

test("MET14 one that is full is asked about as that", async () => {
  const { seen, reply } = await asked(190_000, "now");
  expect(seen).toContain("The context has reached the compaction threshold");
  expect(reply).toBe(undefined);
});
