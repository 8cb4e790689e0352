/** Tests modes/interactive/panels/tree/navigate.ts: navigate, entries left behind. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Session } from "@pith/context";
import { nodeRuntime } from "@pith/context/node";
import { describe, expect, test } from "vitest";
import { countAbandonedEntries, navigateTo } from "../../../../../src/modes/interactive/panels/tree/navigate.ts";
import type { InteractiveContext } from "../../../../../src/modes/interactive/screen-context.ts";
import { initialScreenState, type ScreenState } from "../../../../../src/modes/interactive/state/screen-state.ts";
import { listUserTexts, startBusyApp, waitUntilIdle } from "../../editor/at-work.ts";
import { storeOf, twoTries } from "./outlines.ts";
import {
  ENTER,
  ESC,
  exchange,
  openTree,
  readScreen,
  startTwoExchanges,
  summary,
  UP,
  waitForScreen,
} from "./walking-talk.ts";

describe("navigate", () => {
  test("WLK6 Enter on a user message moves before it, with its text in the editor (B63)", async () => {
    const talk = await startTwoExchanges(["answer three"]);
    await openTree(talk);
    talk.terminal.press(UP, ENTER);
    await waitForScreen(talk, "Summarize the branch you are leaving?");
    talk.terminal.type("n");
    await talk.waitUntil(() => talk.screen.editorText.text === "second");
    await waitForScreen(talk, "went to another entry in the tree");
    talk.terminal.press(ENTER);
    await talk.waitForText("answer three");
    expect(listUserTexts(talk)).toEqual(expect.arrayContaining(["first", "second"]));
    expect(JSON.stringify(talk.server.requests.at(-1)?.body)).not.toContain("answer two");
  });

  test("WLK6 Enter on a reply continues after it; at the current position there is no question (B63)", async () => {
    const talk = await startTwoExchanges(["answer three"]);
    await openTree(talk);
    talk.terminal.press(ENTER);
    await waitForScreen(talk, "You are already there.");
    await openTree(talk);
    talk.terminal.press(UP, UP, ENTER);
    await waitForScreen(talk, "2 entries stay on the branch you are leaving");
    talk.terminal.type("n");
    await waitForScreen(talk, "went to another entry in the tree");
    expect(talk.screen.editorText.text).toBe("");
    await exchange(talk, "another", "answer three");
    await openTree(talk);
    await waitForScreen(talk, "2 branches");
  });

  test("WLK7 a branch that is left can be summarized at the target, with an optional focus (B64)", async () => {
    const talk = await startTwoExchanges([summary, summary, "answer three"]);
    await openTree(talk);
    talk.terminal.press(UP, UP, ENTER);
    await waitForScreen(talk, "Summarize the branch you are leaving?");
    talk.terminal.type("f");
    await waitForScreen(talk, "What should the summary focus on?");
    talk.terminal.type("what failed");
    talk.terminal.press(ENTER);
    await waitForScreen(talk, "summary of the branch you left");
    expect(JSON.stringify(talk.server.requests.map(({ body }) => body))).toContain("what failed");
    await waitUntilIdle(talk);
    // Once, and on this side of the line.
    const lines = (await talk.terminal.scrollback()).filter((line) => line.includes("summary of the branch you left"));
    expect(lines).toHaveLength(1);
  });

  test("WLK7 Esc at the question returns to the tree with the same row selected", async () => {
    const talk = await startTwoExchanges([]);
    await openTree(talk);
    talk.terminal.press(UP, UP, ENTER);
    await waitForScreen(talk, "Summarize the branch you are leaving?");
    talk.terminal.press(ESC);
    await waitForScreen(talk, /❯ ● reply +answer one/);
    talk.terminal.press(ESC);
    await waitForScreen(talk, "> second");
    expect(talk.screen.state.activity.type).toBe("idle");
    expect(await readScreen(talk)).not.toContain("went to another entry in the tree");
  });

  test("WLK7 Esc at the question keeps the filter and the search of the tree", async () => {
    const talk = await startTwoExchanges([]);
    await openTree(talk);
    talk.terminal.press("\t", "\t");
    talk.terminal.type("/first");
    await waitForScreen(talk, /❯ ● you +first/);
    talk.terminal.press(ENTER);
    await waitForScreen(talk, "Summarize the branch you are leaving?");
    talk.terminal.press(ESC);
    await waitForScreen(talk, /\/ first +1 found in: your messages/);
  });

  test("WLK7 with branchSummary.skipPrompt, a move asks no question", async () => {
    const settings = JSON.stringify({ branchSummary: { skipPrompt: true } });
    const talk = await startTwoExchanges([], {
      prepare: ({ home }) => writeFileSync(join(home, "settings.json"), settings),
    });
    await openTree(talk);
    talk.terminal.press(UP, UP, ENTER);
    await waitForScreen(talk, "went to another entry in the tree");
  });

  test("WLK8 Esc cancels a branch summary, and the position does not change (B71)", async () => {
    const slow = { parts: [{ type: "text" as const, text: summary }], pace: { waitMs: 30_000 } };
    const talk = await startTwoExchanges([slow]);
    await openTree(talk);
    talk.terminal.press(UP, UP, ENTER);
    await waitForScreen(talk, "Summarize the branch you are leaving?");
    talk.terminal.type("y");
    await talk.waitUntil(() => talk.screen.state.activity.type === "summarizing" && talk.server.requests.length === 3);
    talk.terminal.press(ESC);
    await waitForScreen(talk, "Cancelled; your position in the tree has not changed.");
    await waitUntilIdle(talk);
    await openTree(talk);
    await waitForScreen(talk, /answer two +← here/);
  });

  test("WLK8 when the branch summary fails, the position does not change and the reason is shown", async () => {
    const talk = await startTwoExchanges([{ refuse: { status: 400, message: "no credit left" } }]);
    await openTree(talk);
    talk.terminal.press(UP, UP, ENTER);
    await waitForScreen(talk, "Summarize the branch you are leaving?");
    talk.terminal.type("y");
    await talk.waitForText(/could not be summarized, so your position has not changed/);
    await waitUntilIdle(talk);
  });

  test("WLK9 a move during a run asks whether to stop the run first (B80)", async () => {
    const talk = await startBusyApp(["never"]);
    await openTree(talk);
    talk.terminal.press("\x1b[H", ENTER);
    await waitForScreen(talk, "Pith is still working");
    talk.terminal.type("n");
    await waitForScreen(talk, "entries");
    expect(talk.screen.state.activity.type).toBe("running");
    talk.terminal.press(ENTER);
    await waitForScreen(talk, "Pith is still working");
    talk.terminal.type("y");
    await waitForScreen(talk, "Summarize the branch you are leaving?");
    talk.terminal.type("n");
    await talk.waitUntil(() => talk.screen.editorText.text === "work");
  });

  test("WLK9 a fork during a run asks first, and No keeps the run going", async () => {
    const talk = await startBusyApp(["never"]);
    await openTree(talk);
    talk.terminal.press("\x1b[H", "f");
    await waitForScreen(talk, "Pith is still working");
    talk.terminal.type("n");
    await waitForScreen(talk, "entries");
    expect(talk.screen.state.activity.type).toBe("running");
    expect(talk.nextArgs()).toBeUndefined();
  });

  test("WLK17 Esc Esc opens the tree when no run is active, and the typed text stays", async () => {
    const talk = await startTwoExchanges([]);
    talk.terminal.type("half a thought");
    talk.terminal.press(ESC, ESC);
    await waitForScreen(talk, /❯ ◉ reply +answer two/);
    talk.terminal.press(ESC);
    await waitForScreen(talk, "half a thought");
  });

  test("WLK17 /tree twice opens one tree, which one Esc closes", async () => {
    const talk = await startTwoExchanges([]);
    talk.submit("/tree");
    talk.submit("/tree");
    await waitForScreen(talk, /❯ ◉ reply +answer two/);
    talk.terminal.press(ESC);
    await waitForScreen(talk, "> second");
  });

  test("WLK18 typed text is kept when a move puts a message into the editor", async () => {
    const talk = await startTwoExchanges([]);
    talk.terminal.type("half a thought");
    talk.terminal.press(ESC, ESC);
    await waitForScreen(talk, /❯ ◉ reply +answer two/);
    talk.terminal.press(UP, ENTER);
    await waitForScreen(talk, "Summarize the branch you are leaving?");
    talk.terminal.type("n");
    await talk.waitUntil(() => talk.screen.editorText.text === "second");
    await waitForScreen(talk, "Your unsent text is in the input history");
    talk.terminal.press("\x15", UP);
    await talk.waitUntil(() => talk.screen.editorText.text === "half a thought");
  });
});

describe("entries left behind", () => {
  async function leftFor(lines: readonly string[], id: string) {
    const store = await storeOf(lines);
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
    const store = await storeOf(lines);
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
    const session = await Session.open(await storeOf(twoTries), nodeRuntime);
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
    const desk = { settings: {}, sessionPath: null };
    const talking = {
      app: { ...desk, agent, missingModel: null },
      screen,
    } as unknown as InteractiveContext;
    await expect(navigateTo("e6", talking)).rejects.toThrow("the disk melted");
    expect(works).toEqual(["summarizing", "idle"]);
  });
});
