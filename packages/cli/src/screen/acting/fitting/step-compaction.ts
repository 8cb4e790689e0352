/** Takes the newest compaction back, or takes that back; one key does both. */

import type { Agent } from "@pith/agent";
import { type Entry, MOVE, type Window } from "@pith/context";
import { stepped } from "../../../commands/fitting/stepped.ts";
import { amount } from "../../../subcommands/sessions/wording/amounts.ts";
import type { Opener } from "../opener.ts";
import { show } from "../show-answer.ts";
import type { Talking } from "../talking.ts";

/** Whoever has just undone one wants it again; else the newest is undone. */
export const stepCompaction: Opener = (_, talking) =>
  step(isUndone(talking.ready.built.agent.session.window) ? "redo" : "undo", talking);

export const openUndo: Opener = async (words, talking) => words === "" && (await step("undo", talking));

export const openRedo: Opener = async (words, talking) => words === "" && (await step("redo", talking));

/** That it is done stands in the transcript by itself; what it means is a hint. */
async function step(which: "undo" | "redo", talking: Talking): Promise<true> {
  const { agent } = talking.ready.built;
  const answer = await stepped(which, agent);
  const outcome = answer.type === "told" ? (Object(answer.data) as { readonly type?: unknown }).type : null;
  if (outcome !== "undone" && outcome !== "redone") await show(answer, talking);
  else talking.screen.change((state) => ({ ...state, hint: hintOn(outcome, agent) }));
  return true;
}

function hintOn(outcome: "undone" | "redone", agent: Agent): string {
  const now = `The model sees about ${amount(agent.contextUsage().tokens)} tokens now`;
  if (outcome === "redone") return `${now}; alt+u undoes it again.`;
  return `${now}. Nothing is compacted by itself until a tenth of the window has come. alt+u takes that back.`;
}

function isUndone({ entries, compactionAt }: Window): boolean {
  return entries.slice(compactionAt + 1).some(isUndo);
}

function isUndo(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE && typeof Object(entry.data).undoes === "string";
}
