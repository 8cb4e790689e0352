/** Tests modes/interactive/panels/tree/navigate.ts: navigate, entries left behind. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { describe, expect, test } from "vitest";
import { countAbandonedEntries, navigateTo } from "../../../../../src/modes/interactive/panels/tree/navigate.ts";
import type { InteractiveContext } from "../../../../../src/modes/interactive/screen-context.ts";
import { initialScreenState, type ScreenState } from "../../../../../src/modes/interactive/state/screen-state.ts";
import {
  listUserTexts,
  readScreen,
  startBusyApp,
  waitForScreen,
  waitUntilIdle,
} from "../../../../support/interactive-app.ts";
import {
  ENTER,
  ESC,
  exchange,
  openTree,
  SUMMARY,
  startTwoExchanges,
  UP,
} from "../../../../support/sample-conversations.ts";
import { createStoryStore, twoTries } from "../../../../support/sample-sessions.ts";

describe("navigate", () => {
  test("WLK6 Enter on a user message moves before it, with its text in the editor (B63)", async () => {
    const app = await startTwoExchanges(["answer three"]);
    await openTree(app);
    app.terminal.press(UP, ENTER);
    await waitForScreen(app, "Summarize the branch you are leaving?");
    app.terminal.type("n");
    await app.waitUntil(() => app.screen.editorText.text === "second");
    await waitForScreen(app, "went to another entry in the tree");
    app.terminal.press(ENTER);
    await app.waitForText("answer three");
    expect(listUserTexts(app)).toEqual(expect.arrayContaining(["first", "second"]));
    expect(JSON.stringify(app.server.requests.at(-1)?.body)).not.toContain("answer two");
  });

  test("WLK6 Enter on a reply continues after it; at the current position there is no question (B63)", async () => {
    const app = await startTwoExchanges(["answer three"]);
    await openTree(app);
    app.terminal.press(ENTER);
    await waitForScreen(app, "You are already there.");
    await openTree(app);
    app.terminal.press(UP, UP, ENTER);
    await waitForScreen(app, "2 entries stay on the branch you are leaving");
    app.terminal.type("n");
    await waitForScreen(app, "went to another entry in the tree");
    expect(app.screen.editorText.text).toBe("");
    await exchange(app, "another", "answer three");
    await openTree(app);
    await waitForScreen(app, "2 branches");
  });

  test("WLK7 a branch that is left can be summarized at the target, with an optional focus (B64)", async () => {
    const app = await startTwoExchanges([SUMMARY, SUMMARY, "answer three"]);
    await openTree(app);
    app.terminal.press(UP, UP, ENTER);
    await waitForScreen(app, "Summarize the branch you are leaving?");
    app.terminal.type("f");
    await waitForScreen(app, "What should the summary focus on?");
    app.terminal.type("what failed");
    app.terminal.press(ENTER);
    await waitForScreen(app, "summary of the branch you left");
    expect(JSON.stringify(app.server.requests.map(({ body }) => body))).toContain("what failed");
    await waitUntilIdle(app);
    // Once, and on this side of the line.
    const lines = (await app.terminal.scrollback()).filter((line) => line.includes("summary of the branch you left"));
    expect(lines).toHaveLength(1);
  });

  test("WLK7 Esc at the question returns to the tree with the same row selected", async () => {
    const app = await startTwoExchanges([]);
    await openTree(app);
    app.terminal.press(UP, UP, ENTER);
    await waitForScreen(app, "Summarize the branch you are leaving?");
    app.terminal.press(ESC);
    await waitForScreen(app, /❯ ● reply +answer one/);
    app.terminal.press(ESC);
    await waitForScreen(app, "> second");
    expect(app.screen.state.activity.type).toBe("idle");
    expect(await readScreen(app)).not.toContain("went to another entry in the tree");
  });

  test("WLK7 Esc at the question keeps the filter and the search of the tree", async () => {
    const app = await startTwoExchanges([]);
    await openTree(app);
    app.terminal.press("\t", "\t");
    app.terminal.type("/first");
    await waitForScreen(app, /❯ ● you +first/);
    app.terminal.press(ENTER);
    await waitForScreen(app, "Summarize the branch you are leaving?");
    app.terminal.press(ESC);
    await waitForScreen(app, /\/ first +1 found in: your messages/);
  });

  test("WLK7 with branchSummary.skipPrompt, a move asks no question", async () => {
    const settings = JSON.stringify({ branchSummary: { skipPrompt: true } });
    const app = await startTwoExchanges([], {
      prepare: ({ home }) => writeFileSync(join(home, "settings.json"), settings),
    });
    await openTree(app);
    app.terminal.press(UP, UP, ENTER);
    await waitForScreen(app, "went to another entry in the tree");
  });

  test("WLK8 Esc cancels a branch summary, and the position does not change (B71)", async () => {
    const slow = { parts: [{ type: "text" as const, text: SUMMARY }], pace: { waitMs: 30_000 } };
    const app = await startTwoExchanges([slow]);
    await openTree(app);
    app.terminal.press(UP, UP, ENTER);
    await waitForScreen(app, "Summarize the branch you are leaving?");
    app.terminal.type("y");
    await app.waitUntil(() => app.screen.state.activity.type === "summarizing" && app.server.requests.length === 3);
    app.terminal.press(ESC);
    await waitForScreen(app, "Cancelled; your position in the tree has not changed.");
    await waitUntilIdle(app);
    await openTree(app);
    await waitForScreen(app, /answer two +← here/);
  });

  test("WLK8 when the branch summary fails, the position does not change and the reason is shown", async () => {
    const app = await startTwoExchanges([{ refuse: { status: 400, message: "no credit left" } }]);
    await openTree(app);
    app.terminal.press(UP, UP, ENTER);
    await waitForScreen(app, "Summarize the branch you are leaving?");
    app.terminal.type("y");
    await app.waitForText(/could not be summarized, so your position has not changed/);
    await waitUntilIdle(app);
  });

  test("WLK9 a move during a run asks whether to stop the run first (B80)", async () => {
    const app = await startBusyApp(["never"]);
    await openTree(app);
    app.terminal.press("\x1b[H", ENTER);
    await waitForScreen(app, "Pith is still working");
    app.terminal.type("n");
    await waitForScreen(app, "entries");
    expect(app.screen.state.activity.type).toBe("running");
    app.terminal.press(ENTER);
    await waitForScreen(app, "Pith is still working");
    app.terminal.type("y");
    await waitForScreen(app, "Summarize the branch you are leaving?");
    app.terminal.type("n");
    await app.waitUntil(() => app.screen.editorText.text === "work");
  });

  test("WLK9 a fork during a run asks first, and No keeps the run going", async () => {
    const app = await startBusyApp(["never"]);
    await openTree(app);
    app.terminal.press("\x1b[H", "f");
    await waitForScreen(app, "Pith is still working");
    app.terminal.type("n");
    await waitForScreen(app, "entries");
    expect(app.screen.state.activity.type).toBe("running");
    expect(app.nextArgs()).toBeUndefined();
  });

  test("WLK17 Esc Esc opens the tree when no run is active, and the typed text stays", async () => {
    const app = await startTwoExchanges([]);
    app.terminal.type("half a thought");
    app.terminal.press(ESC, ESC);
    await waitForScreen(app, /❯ ◉ reply +answer two/);
    app.terminal.press(ESC);
    await waitForScreen(app, "half a thought");
  });

  test("WLK17 /tree twice opens one tree, which one Esc closes", async () => {
    const app = await startTwoExchanges([]);
    app.submit("/tree");
    app.submit("/tree");
    await waitForScreen(app, /❯ ◉ reply +answer two/);
    app.terminal.press(ESC);
    await waitForScreen(app, "> second");
  });

  test("WLK18 typed text is kept when a move puts a message into the editor", async () => {
    const app = await startTwoExchanges([]);
    app.terminal.type("half a thought");
    app.terminal.press(ESC, ESC);
    await waitForScreen(app, /❯ ◉ reply +answer two/);
    app.terminal.press(UP, ENTER);
    await waitForScreen(app, "Summarize the branch you are leaving?");
    app.terminal.type("n");
    await app.waitUntil(() => app.screen.editorText.text === "second");
    await waitForScreen(app, "Your unsent text is in the input history");
    app.terminal.press("\x15", UP);
    await app.waitUntil(() => app.screen.editorText.text === "half a thought");
  });
});

describe("entries left behind", () => {
  async function leftFor(lines: readonly string[], id: string) {
    const store = await createStoryStore(lines);
    const session = await Session.open(store, nodeRuntime);
    const target = await store.entry(id);
    if (!target) throw new Error(`${id} is not in the story`);
    const silent = { store: { commonAncestor: store.commonAncestor.bind(store) }, leaf: session.leaf };
    // Nothing else is read.
    return await countAbandonedEntries(target, { ...silent, branch: session.branch } as unknown as Session);
  }

  test("WLK7 the entries after the common ancestor are counted as left behind", async () => {
    expect(await leftFor(twoTries, "e6")).toEqual({ count: 4, hasMore: false, isCurrent: false });
    expect(await leftFor(twoTries, "e14")).toEqual({ count: 0, hasMore: false, isCurrent: true });
    expect(await leftFor(twoTries, "e1")).toEqual({ count: 6, hasMore: false, isCurrent: false });
  });

  test("WLK7 entries covered by a compaction are counted as left behind", async () => {
    const lines = ["user: a", "says: b", "user: c", "says: d", "user: e", "compacts: so far, keeps e5", "says: f"];
    const store = await createStoryStore(lines);
    const session = await Session.open(store, nodeRuntime);
    const target = await store.entry("e2");
    expect(target && (await countAbandonedEntries(target, session))).toEqual({
      ...{ count: 5, hasMore: false, isCurrent: false },
    });
  });

  test("WLK6 an entry before a compaction is not the current position", async () => {
    const lines = ["user: a", "says: b", "user: c", "says: d", "compacts: so far, keeps e3"];
    expect(await leftFor(lines, "e4")).toEqual({ count: 1, hasMore: false, isCurrent: false });
    expect(await leftFor(lines, "e5")).toEqual({ count: 0, hasMore: false, isCurrent: true });
  });

  test("WLK8 when a move throws, the activity returns to idle", async () => {
    const session = await Session.open(await createStoryStore(twoTries), nodeRuntime);
    let state: ScreenState = initialScreenState;
    const works: string[] = [];
    const screen = {
      showPanel: async () => "summarize",
      update: (change: (known: ScreenState) => ScreenState) => {
        state = change(state);
        works.push(state.activity.type);
      },
    };
    const navigateTree = async () => {
      throw new Error("the disk melted");
    };
    const agent = { session, isRunning: false, navigateTree, previewFileRestore: async () => [] };
    const sessionParts = { settings: {}, sessionPath: null };
    const talking = {
      app: { ...sessionParts, agent, missingModel: null },
      screen,
    } as unknown as InteractiveContext;
    await expect(navigateTo("e6", talking)).rejects.toThrow("the disk melted");
    expect(works).toEqual(["summarizing", "idle"]);
  });
});
