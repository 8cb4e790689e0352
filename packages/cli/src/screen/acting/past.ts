/** What was said before, as far as a glance needs: the newest of the branch, from the log, however the context was compacted. */

import type { Entry } from "@pith/context";
import { wayTo } from "../../commands/walking/tree-part.ts";
import { counted } from "../../printing/amounts.ts";
import { highlighterLoaded } from "../drawing/code/code-rows.ts";
import { keyHint } from "../keys/key-hint.ts";
import { readKeymap } from "../keys/read-keymap.ts";
import { glance, isSaid, isTold } from "../state/glance.ts";
import type { Talking } from "./talking.ts";

export async function past({ ready, screen }: Talking): Promise<void> {
  const { session } = ready.built.agent;
  const { entries, isAll } = await newestOf(session);
  // Only what may be shown: a branch that was never compacted is in the window as a whole.
  const { blocks, left } = glance(session.redacted(entries.slice(-NEWEST)));
  // What is printed before its inks are there stays without them.
  if (blocks.some((block) => block.kind === "answered" && block.text.includes("```"))) await highlighterLoaded();
  const earlier = earlierTold(left + entries.slice(0, -NEWEST).filter(isTold).length, isAll);
  if (earlier !== null) screen.tell(`${earlier}; ${await wayToAll({ ready, screen })}`);
  screen.change((state) => ({ ...state, blocks: [...state.blocks, ...blocks] }));
}

interface Newest {
  readonly entries: readonly Entry[];
  readonly isAll: boolean;
}

/** What is loaded already, unless nobody speaks in it: right behind a compaction that may be so. */
async function newestOf({ window, leaf, store }: Talking["ready"]["built"]["agent"]["session"]): Promise<Newest> {
  const isEnough = window.reachesRoot || window.entries.some(isSaid);
  if (isEnough) return { entries: window.entries, isAll: window.reachesRoot };
  const entries = await wayTo(leaf, store, NEWEST);
  return { entries, isAll: (entries[0]?.parentId ?? null) === null };
}

const NEWEST = 200;

function earlierTold(left: number, isAll: boolean): string | null {
  if (left === 0 && isAll) return null;
  return `… ${isAll ? counted(left, "earlier entry", "earlier entries") : "earlier entries"}`;
}

/** It is printed for good, so that the keymap must be known by now. */
async function wayToAll({ ready, screen }: Pick<Talking, "ready" | "screen">): Promise<string> {
  const { keymap } = await readKeymap(ready.place.home);
  const key = screen.hasPages ? keyHint("transcript", keymap) : null;
  return `${key ?? "/transcript"} shows all`;
}
