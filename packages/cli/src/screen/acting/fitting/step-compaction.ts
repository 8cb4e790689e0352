/** Takes the newest compaction back, or takes that back; one key does both. */

import type { Agent } from "@pith/agent";
import { type Entry, MOVE, type Window } from "@pith/context";
import { stepped } from "../../../commands/fitting/stepped.ts";
import { amount, counted } from "../../../printing/amounts.ts";
import { keyHint } from "../../keys/key-hint.ts";
import { show } from "../show-answer.ts";
import type { Opener, Talking } from "../talking.ts";

/** Whoever has just undone one wants it again; else the newest is undone. */
export const stepCompaction: Opener = (_, talking) =>
  step(isUndone(talking.ready.built.agent.session.window) ? "redo" : "undo", talking);

export const openUndo: Opener = async (words, talking) => words === "" && (await step("undo", talking));

export const openRedo: Opener = async (words, talking) => words === "" && (await step("redo", talking));

/** That it is done stands in the transcript by itself; what it means is a hint. */
async function step(which: "undo" | "redo", talking: Talking): Promise<true> {
  const { agent } = talking.ready.built;
  const since = saidSince(agent.session.window);
  const answer = await stepped(which, agent);
  const outcome = answer.type === "told" ? (Object(answer.data) as { readonly type?: unknown }).type : null;
  if (outcome !== "undone" && outcome !== "redone") await show(answer, talking);
  else
    talking.screen.change((state) => {
      const key = keyHint("undoCompaction", state.keymap);
      return { ...state, hint: outcome === "undone" ? undoneHint(agent, { since, key }) : redoneHint(agent, key) };
    });
  return true;
}

function redoneHint(agent: Agent, key: string | null): string {
  return `The model sees about ${amount(agent.contextUsage().tokens)} tokens now; ${key ?? "/undo"} undoes it again.`;
}

interface Undone {
  /** What was said and done behind the compaction: it is not lost, but no longer seen. */
  readonly since: number;
  readonly key: string | null;
}

/** Two lines at most: what stays behind matters more than when the next one comes. */
function undoneHint(agent: Agent, { since, key }: Undone): string {
  const now = `The model sees about ${amount(agent.contextUsage().tokens)} tokens now`;
  const left = `; the ${counted(since, "message")} said since stay behind on their branch.`;
  return `${now}${since === 0 ? QUIET : left} ${key ?? "/redo"} takes that back.`;
}

const QUIET = ". Nothing is compacted by itself until a tenth of the window has come.";

function saidSince({ entries, compactionAt }: Window): number {
  return entries.slice(compactionAt + 1).filter(({ type }) => type === "message").length;
}

function isUndone({ entries, compactionAt }: Window): boolean {
  return entries.slice(compactionAt + 1).some(isUndo);
}

function isUndo(entry: Entry): boolean {
  return entry.type === "custom" && entry.customType === MOVE && typeof Object(entry.data).undoes === "string";
}
