/** Implements `/tree` and `/fork`: opens the tree page and moves to or forks from the chosen entry. */

import { refusalNotes } from "@pith/context";
import { LEAF_MOVED } from "../../../../commands/command.ts";
import { growOutline } from "../../../../sessions/read-outline.ts";
import type { Stage, Talking } from "../../screen-context.ts";
import { fork, go } from "./navigate.ts";
import { type Picked, type TreeParts, treePanel } from "./panel.ts";
import { forkSieves, type TreeState, treeSieves } from "./state.ts";

export type Look = Pick<TreeParts, "title" | "hints" | "sieves" | "enter">;

export const treeLook: Look = {
  title: "Tree",
  hints: [
    ...["Enter goes", "/ search", "Tab filter", "←→ fold", "l label", "f fork", "[ ] branches"],
    ...["b where you last left", "Space reads on", "Esc closes"],
  ],
  sieves: treeSieves,
  enter: "go",
};

export const forkLook: Look = {
  title: "Fork: a new session from before which message?",
  hints: ["Enter forks", "/ search", "Tab branches", "l label", "↑↓ walk", "Esc closes"],
  sieves: forkSieves,
  enter: "fork",
};

/** With words behind it the command is answered as anywhere. */
export async function openTree(words: string, talking: Talking): Promise<boolean> {
  if (words !== "") return false;
  await walk(talking, treeLook);
  return true;
}

export async function openFork(words: string, talking: Talking): Promise<boolean> {
  if (words !== "" || talking.desk.sessionPath === null) return false;
  await walk(talking, forkLook);
  return true;
}

async function walk(talking: Talking, look: Look): Promise<void> {
  const { screen } = talking;
  // Whoever presses Esc four times wants one tree.
  if (open.has(screen)) return;
  for (let before: TreeState | undefined; ; ) {
    open.add(screen);
    const asked = screen.ask(treePanel(partsFor(talking, look, before)), { where: "page" });
    const picked = await asked.finally(() => open.delete(screen));
    if (!picked || (await taken(picked, talking)) === "gone") return;
    before = picked.page;
  }
}

/** Screens on which a tree is looked at. */
const open = new WeakSet<Stage>();

async function taken({ type, id }: Picked, talking: Talking): Promise<"gone" | "stayed"> {
  if (type === "go") return await go(id, talking);
  const entry = await talking.ready.built.agent.session.store.entry(id);
  return entry ? await fork(entry, talking) : "stayed";
}

/** Opens at once: whatever must be read comes while one looks. */
function partsFor({ ready, screen }: Talking, look: Look, before?: TreeState): TreeParts {
  const { agent } = ready.built;
  const { session } = agent;
  const { store, leaf, branch: window } = session;
  const name = screen.state.facts.sessionName;
  const redacted = <Value>(value: Value): Value => session.redact(value);
  return {
    ...look,
    title: name === null ? look.title : `${look.title} · ${name}`,
    leaf,
    ...(before && { before }),
    now: Date.now,
    entry: async (id) => redacted(await store.entry(id)),
    growth: (signal) => growOutline({ store, leaf, near: window.entries, signal, redacted }),
    name: async (id, label) => {
      const done = await agent.appendToSession((open) =>
        open.append({ type: "label", targetId: id, ...(label !== "" && { label }) }),
      );
      if (done.type === "appended") return null;
      return done.type === "refused" ? refusalNotes[done.why] : LEAF_MOVED;
    },
  };
}
