/** Implements `/tree` and `/fork`: opens the tree page and moves to or forks from the chosen entry. */

import { refusalNotes } from "@pith/context";
import { LEAF_MOVED_MESSAGE } from "../../../../commands/command.ts";
import { readOutline } from "../../../../sessions/read-outline.ts";
import type { InteractiveContext, ScreenApi, SessionScreen } from "../../screen-context.ts";
import { compactAtEntry } from "./compact.ts";
import { forkFrom, type NavigateOutcome, navigateTo } from "./navigate.ts";
import { createTreePanel, type TreePanelOptions, type TreeSelection } from "./panel.ts";
import { forkFilters, type TreeState, treeFilters } from "./state.ts";

export type TreePageConfig = Pick<TreePanelOptions, "title" | "hints" | "filters" | "enterAction">;

export const treePage: TreePageConfig = {
  title: "Tree",
  hints: [
    ...["Enter go to entry", "c compact", "/ search", "Tab filter", "←→ fold", "l label", "f fork", "[ ] branches"],
    ...["b previous position", "Space scroll", "Esc close"],
  ],
  filters: treeFilters,
  enterAction: "go",
};

export const forkPage: TreePageConfig = {
  title: "Fork before which message?",
  hints: ["Enter fork", "/ search", "Tab filter", "l label", "↑↓ move", "Esc close"],
  filters: forkFilters,
  enterAction: "fork",
};

/** Returns false if there are arguments; the command itself handles them. */
export async function openTree(args: string, context: InteractiveContext): Promise<boolean> {
  if (args !== "") return false;
  await runTreePage(context, treePage);
  return true;
}

export async function openFork(args: string, context: InteractiveContext): Promise<boolean> {
  if (args !== "" || context.app.sessionPath === null) return false;
  await runTreePage(context, forkPage);
  return true;
}

async function runTreePage(context: InteractiveContext, config: TreePageConfig): Promise<void> {
  const { screen } = context;
  // A user who presses Esc four times wants only one tree page.
  if (screensWithTree.has(screen)) return;
  for (let previousState: TreeState | undefined; ; ) {
    screensWithTree.add(screen);
    const answer = screen.showPanel(createTreePanel(createPanelOptions(context, config, previousState)), {
      where: "page",
    });
    const selection = await answer.finally(() => screensWithTree.delete(screen));
    if (!selection || (await applySelection(selection, context)) === "done") return;
    previousState = selection.state;
  }
}

/** Screens with an open tree page. */
const screensWithTree = new WeakSet<ScreenApi>();

async function applySelection({ type, id }: TreeSelection, context: InteractiveContext): Promise<NavigateOutcome> {
  if (type === "go") return await navigateTo(id, context);
  if (type === "compact") return await compactAtEntry(id, context);
  const entry = await context.app.agent.session.store.entry(id);
  return entry ? await forkFrom(entry, context) : "cancelled";
}

/** The page opens immediately and reads the session while it is open. */
function createPanelOptions(
  { app: { agent }, screen }: SessionScreen,
  config: TreePageConfig,
  previousState?: TreeState,
): TreePanelOptions {
  const { session } = agent;
  const { store, leaf, branch } = session;
  const sessionName = screen.state.footer.sessionName;
  const redact = <Value>(value: Value): Value => session.redact(value);
  return {
    ...config,
    title: sessionName === null ? config.title : `${config.title} · ${sessionName}`,
    leaf,
    ...(previousState && { previousState }),
    now: Date.now,
    readEntry: async (id) => redact(await store.entry(id)),
    readOutline: (signal) => readOutline({ store, leaf, knownEntries: branch.entries, signal, redact }),
    saveLabel: async (id, label) => {
      const result = await agent.appendToSession((openSession) =>
        openSession.append({ type: "label", targetId: id, ...(label !== "" && { label }) }),
      );
      if (result.type === "appended") return null;
      return result.type === "refused" ? refusalNotes[result.why] : LEAF_MOVED_MESSAGE;
    },
  };
}
