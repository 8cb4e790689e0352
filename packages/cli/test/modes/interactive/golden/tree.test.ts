/** Golden screens of the tree: walking in it, leaving a branch, putting files back, forking. */

import type { PlannedFile } from "@pith/agent";
import { createCompactQuestion } from "../../../../src/modes/interactive/panels/tree/compact.ts";
import { forkPage, treePage } from "../../../../src/modes/interactive/panels/tree/open.ts";
import { createTreePanel, type TreePanelOptions } from "../../../../src/modes/interactive/panels/tree/panel.ts";
import {
  createFilesPanel,
  createLeaveQuestion,
  createLinePanel,
} from "../../../../src/modes/interactive/panels/tree/questions.ts";
import { forkFilters, treeFilters } from "../../../../src/modes/interactive/panels/tree/state.ts";
import { readOutline } from "../../../../src/sessions/read-outline.ts";
import { createStoryStore } from "../../../support/sample-sessions.ts";
import { golden, NOW, type TestScreen } from "./golden.ts";

/** A morning's work: a login that was mended in three ways, and a compaction on the way that was taken. */
const morning: readonly string[] = [
  "user: The login loops when the cookie is from yesterday. Find out why and fix it.",
  "says: I look at the login first.",
  "calls: read path=src/login.ts",
  "result: export async function login(request: Request): Promise<Response> {\n  const token = await tokenOf(request);",
  "says: The token is renewed **before** the redirect, and the cookie still has the old one.\n\nTwo ways:\n\n1. renew it in the redirect\n2. renew it on a timer",
  "user: try the timer",
  "calls: edit path=src/timer.ts",
  "result: done",
  "calls: bash command=pnpm test login",
  "fails: 3 tests failed: the timer never fires in a worker",
  "says: The timer never fires in a worker. I would not go on with this.",
  "moves: e6",
  "user: use a lock instead of the timer",
  "says: A lock does not help: both tabs have their own.",
  "moves: e5",
  "left e11: ## Goal\n- renew the token on a timer\n\n## Progress\n- the timer never fires in a worker: left",
  "user: renew it in the redirect",
  "calls: edit path=src/redirect.ts",
  "result: done",
  "calls: bash command=pnpm test login",
  "result: 12 tests passed",
  "says: It works: all twelve tests pass.",
  "compacts: ## Goal\n- mend the login\n\n## Progress\n- done in the redirect, keeps nothing",
  "user: now write it into the changelog",
  "says: It is in CHANGELOG.md, under *Fixed*.",
  "labels e22: works",
  "labels e11: dead end",
];

type Look = Pick<TreePanelOptions, "title" | "hints" | "enterAction" | "filters">;

/** Only so many pieces of it are ever read. */
async function treeOn({ screen }: TestScreen, look: Look, pieces = Number.POSITIVE_INFINITY): Promise<void> {
  const store = await createStoryStore(morning, NOW);
  const leaf = await store.leaf();
  const parts: TreePanelOptions = {
    ...look,
    leaf,
    now: () => NOW,
    readEntry: (id) => store.entry(id),
    readOutline: async function* (signal) {
      let left = pieces;
      for await (const growth of readOutline({ store, leaf, signal })) if (left-- > 0) yield growth;
    },
    saveLabel: async () => null,
  };
  void screen.showPanel(createTreePanel(parts), { where: "page" });
  await settled();
}

/** What a page learns by itself comes in turns. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const tree = { ...treePage, title: "Tree · mend the login", filters: treeFilters };
const UP = "\x1b[A";

golden(
  "a tree with branches",
  async (shown) => {
    await treeOn(shown, tree);
    shown.terminal.press(...Array.from({ length: 9 }, () => UP));
    await settled();
  },
  "tree",
);

golden("a tree filtered to the user messages", async (shown) => {
  await treeOn(shown, tree);
  shown.terminal.press("\t", "\t");
  await settled();
});

golden("a search in the tree", async (shown) => {
  await treeOn(shown, tree);
  shown.terminal.type("/timer");
  await settled();
});

golden("a tree with a folded branch and an unfinished label", async (shown) => {
  await treeOn(shown, tree);
  shown.terminal.press("\x1b[H", "]", "]", "\x1b[D", "l");
  shown.terminal.type("second way");
  await settled();
});

golden("a tree that is still loading", async (shown) => {
  await treeOn(shown, tree, 1);
});

golden("the question about a summary of the left branch", ({ screen }) => {
  void screen.showPanel(createLeaveQuestion({ count: 12, canFork: true, canSummarize: true }), { where: "inline" });
});

golden("the question about what to compact at an entry", ({ screen }) => {
  const oldBranch = { entries: [], edits: [], commonAncestorId: "e11" };
  const replaced = { type: "found", oldBranch, newLeaf: "e11", count: 12, place: "after #11" } as const;
  const note = "there is nothing to summarize before the entry; choose a later one";
  const plan = { type: "invalid-cut", why: "nothing-before", note } as const;
  const question = createCompactQuestion({ reference: "#11", replaced, plan, isCompacted: true });
  void screen.showPanel(question, { where: "inline" });
});

golden("the question about the focus of a summary", async ({ screen, terminal }) => {
  const hints = ["Enter summarize and go", "Esc back"];
  void screen.showPanel(createLinePanel({ title: "What should the summary focus on?", hints }), { where: "inline" });
  terminal.type("why the timer failed");
});

golden("the question about restoring files", async ({ screen }) => {
  const file = (path: string, type: PlannedFile["type"]): PlannedFile => ({
    ...{ path: `/work/${path}`, type, expectedHash: "a", targetHash: "b", currentHash: "a", hasForeignChanges: false },
  });
  const files = [
    file("src/login.ts", "restore"),
    file("src/timer.ts", "remove"),
    file("src/cart/total.ts", "conflict"),
    file("docs/old.md", "lost"),
    { ...file(".vscode/tasks.json", "not-permitted"), why: "other programs execute or trust it" },
  ];
  const diff = async () => "@@ -3,3 +3,3 @@\n export function login() {\n-  renewOnTimer();\n+  renew();\n }";
  void screen.showPanel(createFilesPanel({ files, folder: "/work", diff }), { where: "page" });
  await settled();
});

golden("the fork page of the current branch", async (shown) => {
  await treeOn(shown, { ...forkPage, filters: forkFilters });
});

golden("the fork page of all branches", async (shown) => {
  await treeOn(shown, { ...forkPage, filters: forkFilters });
  shown.terminal.press("\t");
  await settled();
});
