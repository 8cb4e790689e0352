/** Tests panels/rules.ts: the page of the user's messages, and on a screen what opens and what is pinned. */

import { stripVTControlCharacters } from "node:util";
import { CURSOR_MARKER } from "@earendil-works/pi-tui";
import { listUserRules } from "@pith/context/host";
import { expect, test } from "vitest";
import type { UserRules } from "../../../../src/context-report/user-rules.ts";
import type { Panel, Viewport } from "../../../../src/modes/interactive/panels/panel.ts";
import {
  createRulesPage,
  openRules,
  type RulesPageOptions,
  type RulesPageState,
} from "../../../../src/modes/interactive/panels/rules.ts";
import { createTheme } from "../../../../src/modes/interactive/render/theme.ts";
import type { InteractiveContext } from "../../../../src/modes/interactive/screen-context.ts";
import { createCommandContext } from "../../../support/command-context.ts";
import { startInteractiveApp } from "../../../support/interactive-app.ts";
import { earlyMessages, fillWithRules } from "../../../support/sample-sessions.ts";

const sight: Viewport = { width: 80, height: 24, theme: createTheme("none") };

const uncarried = { offers: 0, isEdited: false };
const rules: UserRules = {
  pins: [{ id: "p1", text: "never push to main" }],
  carriedLines: [{ text: "use tabs", references: ["#1", "#3"] }],
  messages: [
    { reference: "#21", text: "make it\nfast" },
    { reference: "#23", text: "Test it. […]" },
  ],
  stubs: [{ reference: "#15", line: "[#15] look at the…", ...uncarried }],
  hidden: { count: 2, first: "#5", last: "#9", messages: [] },
};

const hiddenMessages = [
  { reference: "#5", text: "ask before you add a dependency" },
  { reference: "#9", text: "write in English" },
];

/** Pins by adding the text to the pins. */
function options(more: Partial<RulesPageOptions> = {}): RulesPageOptions {
  return {
    rules,
    readHidden: async () => hiddenMessages,
    readMessage: async (reference) => `all of ${reference}`,
    pin: async ({ text }) => ({
      notice: `Pinned: ${text}`,
      rules: { ...rules, pins: [...rules.pins, { id: "p2", text }] },
    }),
    ...more,
  };
}

/** What is seen after these keys, once everything is loaded; null if one of them closes the page. */
async function after(
  keys: readonly string[],
  more: Partial<RulesPageOptions> = {},
  viewport = sight,
): Promise<readonly string[] | null> {
  return await pressed(createRulesPage(options(more)), keys, viewport);
}

async function pressed(
  panel: Panel<RulesPageState, null>,
  keys: readonly string[],
  viewport = sight,
): Promise<readonly string[] | null> {
  const { signal } = new AbortController();
  let state = panel.initialState;
  await panel.loadUpdates?.((change) => {
    state = change(state);
  }, signal);
  for (const key of keys) {
    const result = panel.handleKey(state, key, viewport);
    if (result?.type !== "continue") return null;
    state = result.loadUpdate ? (await result.loadUpdate(signal))(result.state) : result.state;
  }
  return panel
    .render(state, viewport)
    .map((line) => stripVTControlCharacters(line.replace(CURSOR_MARKER, "")).trimEnd());
}

test("MET22 the page shows each group with its title, and the keys that work there", async () => {
  const lines = (await after([]))?.filter((line) => line !== "" && !line.startsWith("─"));
  expect(lines).toEqual([
    " What you have said, and what the model reads of it",
    " Pinned (always shown)",
    " ❯ 1  never push to main",
    " From the summary, in place of your messages",
    "   #1, #3  use tabs",
    " Your messages, word for word; […] marks what is left out",
    "   #21  make it ⏎ fast",
    "   #23  Test it. […]",
    " Only the first words are shown to the model",
    "   #15  look at the…",
    " Not shown and not carried over: 2 messages, #5–#9",
    "   #5  ask before you add a dependency",
    "   #9  write in English",
    " Every compaction keeps this word for word; /unpin 1 removes it.",
    " ↑↓ move · Enter open · p pin · / filter · Esc close",
  ]);
});

test("MET22 the line at the bottom says what the model reads of the selected row", async () => {
  const described = [];
  for (let steps = 0; steps <= 6; steps++) described.push((await after(Array(steps).fill("down")))?.at(-2));
  expect(described).toEqual([
    " Every compaction keeps this word for word; /unpin 1 removes it.",
    " The model reads this instead of what you wrote; Enter shows what you wrote.",
    " The model reads this message as you wrote it.",
    " The model reads these sentences; lines from the summary stand for each […].",
    " The model reads only these words; the summary does not carry over the rest.",
    ...Array(2).fill(" The model does not read this message, and the summary does not carry it over."),
  ]);
});

test("MET22 a message that is shortened is not called word for word", async () => {
  const text = "Make it\n[… 1,008 of about 1,110 tokens are left out here; #5 opens all of it …]\nfast.";
  const cut = { rules: { ...rules, pins: [], carriedLines: [], messages: [{ reference: "#5", text }] } };
  const lines = await after([], cut);
  expect(lines?.[2]).toBe(" Your messages, word for word; […] marks what is left out");
  expect(lines?.at(-2)).toBe(" The model reads the beginning and the end of this message.");
});

test("MET22 the selection skips titles, and stops at both ends", async () => {
  const selected = async (...keys: string[]) => (await after(keys))?.find((line) => line.includes("❯"));
  expect(await selected("down")).toContain("#1, #3  use tabs");
  expect(await selected("down", "down")).toContain("#21");
  expect(await selected("end")).toContain("#9  write in English");
  expect(await selected("end", "down")).toContain("#9  write in English");
  expect(await selected("end", "up", "up")).toContain("#15");
  expect(await selected("end", "pageUp")).toContain("never push to main");
  expect(await selected("pageDown", "home", "up")).toContain("never push to main");
});

test("MET22 a list longer than the screen scrolls, and its first title is visible again at the top", async () => {
  const messages = Array.from({ length: 100 }, (_, at) => ({ reference: `#${at + 1}`, text: `message ${at + 1}` }));
  const long = { rules: { ...rules, messages, hidden: { count: 0, first: "", last: "", messages: [] } } };
  const low = { ...sight, height: 10 };
  expect((await after([], long, low))?.[0]).toMatch(/ 1–2 of 103$/);
  const end = await after(["end"], long, low);
  expect(end?.[0]).toMatch(/ 101–103 of 103$/);
  expect(end).toContain(" ❯ #15  look at the…");
  expect((await after(["end", "home"], long, low))?.[2]).toBe(" Pinned (always shown)");
  expect((await after(["pageDown", "pageDown"], long, low))?.join("\n")).toContain("❯ #");
});

test("MET22 Enter shows the whole message, and for a summary line each message that it carries over", async () => {
  expect((await after(["enter"]))?.slice(0, 2)).toEqual([
    expect.stringMatching(/^ Pinned +1–1 of 1 lines$/),
    " never push to main",
  ]);
  expect((await after(["down", "enter"]))?.slice(0, 6)).toEqual([
    expect.stringMatching(/^ What you wrote · #1, #3 /),
    ...["── #1", " all of #1", "", "── #3", " all of #3"],
  ]);
  expect((await after(["end", "enter"]))?.slice(0, 2)).toEqual([
    expect.stringMatching(/^ What you wrote · #9 /),
    " all of #9",
  ]);
  expect((await after(["end", "enter", "escape"]))?.join("\n")).toContain("❯ #9");
  expect(await after(["escape"])).toBeNull();
});

test("MET22 p pins the selected row and keeps it selected; a pinned row is reported as already pinned", async () => {
  const lines = await after(["down", "p"]);
  expect(lines?.slice(2, 7)).toEqual([
    " Pinned (always shown)",
    "   1  never push to main",
    "   2  use tabs",
    "",
    " From the summary, in place of your messages",
  ]);
  expect(lines).toContain(" ❯ #1, #3  use tabs");
  expect(lines?.at(-2)).toBe(" Pinned: use tabs");
  expect((await after(["p"]))?.at(-2)).toBe(" Already pinned; /unpin 1 removes the pin");
  const pinned: string[] = [];
  const pin: RulesPageOptions["pin"] = async ({ kind, references }) => {
    pinned.push(`${kind} ${references.join(" ")}`);
    return { notice: "", rules };
  };
  await after(["down", "p", "down", "p", "down", "down", "p", "down", "p"], { pin });
  expect(pinned).toEqual(["carried #1 #3", "message #21", "stub #15", "hidden #5"]);
});

test("MET22 a filter keeps the rows with all its words; Enter keeps the filter, Esc removes it", async () => {
  const typing = await after(["/", "t", "a"]);
  expect(typing?.[0]).toBe(" Rules  filter: ta");
  expect(typing?.slice(2, 5)).toEqual([" From the summary, in place of your messages", " ❯ #1, #3  use tabs", ""]);
  expect(typing?.at(-1)).toBe(" ↑↓ move · Enter keep the filter · Esc remove the filter");
  expect((await after(["/", "t", "a", "enter"]))?.at(-1)).toContain("p pin");
  expect((await after(["/", "t", "a", "enter", "p"]))?.at(-2)).toBe(" Pinned: use tabs");
  expect((await after(["/", "t", "a", "enter", "escape"]))?.join("\n")).toContain("never push to main");
  expect((await after(["/", "t", "a", "escape"]))?.join("\n")).toContain("❯ #1, #3");
  expect((await after(["/", "x", "y", "z"]))?.[2]).toBe(" No matches.");
  expect((await after(["/", "#", "9"]))?.join("\n")).toContain("❯ #9  write in English");
});

const ESC = "\x1b";
const DOWN = "\x1b[B";

test("MET22 MET21 /rules opens the page, p saves the pin, and the transcript shows it once", async () => {
  const app = await startInteractiveApp(["Fine.", "Done."]);
  app.submit("/rules");
  await app.waitForText("You have not said anything in this session yet.");
  for (const [text, answer] of [
    ["use tabs everywhere", "Fine."],
    ["now go on", "Done."],
  ] as const) {
    app.submit(text);
    await app.waitForText(answer);
    await app.waitUntil(() => app.screen.state.activity.type === "idle");
  }
  app.submit("/rules");
  await app.waitForText("What you have said, and what the model reads of it");
  app.terminal.press("p");
  await app.waitForText("Pinned: use tabs everywhere");
  app.terminal.press("p");
  await app.waitForText("Already pinned: use tabs everywhere");
  app.terminal.press(DOWN, "\r");
  await app.waitForText(/What you wrote · #\d+/);
  app.terminal.press(ESC);
  await app.waitForText("Enter open · p pin");
  app.terminal.press(ESC);
  await app.waitUntilGone("What you have said");
  const screenText = await app.waitForText("pinned: use tabs everywhere");
  expect(screenText.match(/◆ pinned: use tabs everywhere/g)).toHaveLength(1);
  app.submit("/pin");
  await app.waitForText(/ 1 {2}\w+ {2}use tabs everywhere/);
});

test("MET22 messages that are only counted are loaded from the log, and can be opened and pinned", async () => {
  const commandContext = await createCommandContext(earlyMessages);
  const { session } = commandContext.agent;
  await fillWithRules(session);
  const { hidden } = listUserRules(session.branch);
  const panels: Panel<RulesPageState, null>[] = [];
  const screen = { showPanel: async (panel: Panel<RulesPageState, null>) => void panels.push(panel) };
  const context = { app: commandContext, screen } as unknown as InteractiveContext;
  expect(await openRules("", context)).toBe(true);
  expect(await openRules("tabs", context)).toBe(false);
  const [panel] = panels;
  if (!panel) throw new Error("no page was shown");
  const lines = await pressed(panel, ["end"], { ...sight, height: 40 });
  expect(lines).toContain(` Not shown and not carried over: ${hidden.count} messages, ${hidden.first}–${hidden.last}`);
  expect(lines?.filter((line) => /^ [ ❯] #/.test(line)).at(-1)).toMatch(new RegExp(`^ ❯ ${hidden.last} +Make part`));
  const [title, text] = (await pressed(panel, ["end", "enter"])) ?? [];
  expect(title).toMatch(new RegExp(`^ What you wrote · ${hidden.last} `));
  expect(text).toMatch(/^ Make part \d+ of the importer twice as fast, and write down how long it took in/);
  expect((await pressed(panel, ["end", "p"]))?.at(-2)).toMatch(/^ Pinned: Make part/);
  expect((await pressed(panel, ["end", "p"]))?.at(-2)).toMatch(/^ Already pinned: Make part/);
  expect((await pressed(panel, ["p"]))?.at(-2)).toBe(" Pinned: Use tabs in every file of this project, never spaces");
  expect(session.branch.state.pins).toMatchObject([
    { reference: hidden.last },
    { text: expect.stringMatching(/^Use tabs/) },
  ]);
});
