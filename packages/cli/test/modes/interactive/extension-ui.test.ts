/** Extensions ask and show on a screen: real screens, drawn and plain, and keys as somebody presses them. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createExtensionUi, createPromptQueue, type ScreenUi } from "../../../src/modes/interactive/extension-ui.ts";
import { createChoicePanel } from "../../../src/modes/interactive/panels/choice.ts";
import type { ScreenApi } from "../../../src/modes/interactive/screen-context.ts";
import { createRecordedScreen, createTestScreen } from "../../support/test-screen.ts";

const ENTER = "\r";
const ESCAPE = "\x1b";
const DOWN = "\x1b[B";

function ownUi(screen: ScreenApi, redacted = <Value>(value: Value): Value => value): ScreenUi {
  const own = createExtensionUi(screen, {
    redact: redacted,
    showNote: screen.showNote.bind(screen),
    queue: createPromptQueue(),
    notifier: undefined,
  });
  own.open();
  return own;
}

async function drawnUi() {
  const shown = createTestScreen({ columns: 60, rows: 20 });
  const own = ownUi(shown.screen);
  const sees = async (text: string): Promise<string> => {
    for (let tries = 0; tries < 400; tries++) {
      const screenText = await shown.screenText();
      if (screenText.includes(text)) return screenText;
      await sleep(5);
    }
    throw new Error(`it never came: ${text}\n${await shown.screenText()}`);
  };
  return { ...shown, own, ui: own.ui, sees };
}

test("XUI1 select, confirm and input replace the editor, and Esc answers none of them", async () => {
  const { ui, terminal, sees, screenText } = await drawnUi();
  const cases: readonly [() => Promise<unknown>, string, readonly string[], unknown][] = [
    [() => ui.select("Which one?", ["red", "green"]), "❯ red", [DOWN, ENTER], "green"],
    [() => ui.select("Which one?", ["red", "green"]), "❯ red", [ESCAPE], undefined],
    [
      () =>
        ui.select(
          "Of many?",
          Array.from({ length: 40 }, (_, at) => `row ${at}`),
        ),
      "row 3",
      [..."row 33", ENTER],
      "row 33",
    ],
    [() => ui.confirm("Really?", "It cannot be undone."), "It cannot be undone.", ["y", ENTER], true],
    [() => ui.confirm("Really?", ""), "Really?", [ESCAPE], false],
    [() => ui.input("Your name?", "Ada"), "Ada", [..."Grace", ENTER], "Grace"],
    [() => ui.input("Your name?"), "Your name?", [ESCAPE], undefined],
  ];
  for (const [ask, shows, keys, answer] of cases) {
    const coming = ask();
    expect(await sees(shows)).toContain("Question from an extension");
    terminal.press(...keys);
    expect(await coming).toBe(answer);
    // A key belongs to the question that is drawn.
    await expect.poll(screenText).not.toContain("Question from an extension");
  }
});

test("ASK3 a letter typed for a message does not confirm a question of an extension", async () => {
  const { ui, terminal, sees } = await drawnUi();
  const coming = ui.confirm("Run it?", "");
  await sees("Yes (y then Enter)");
  let answer: boolean | null = null;
  void coming.then((value) => {
    answer = value;
  });
  terminal.press("y");
  await sleep(20);
  expect(answer).toBe(null);
  terminal.press(ESCAPE);
  expect(await coming).toBe(false);
});

test("XUI2 questions of extensions wait for each other and for a permission question", async () => {
  const { screen, terminal, sees, screenText } = await drawnUi();
  const inTurn = createPromptQueue();
  const { ui } = createExtensionUi(screen, {
    redact: (value) => value,
    showNote: () => {},
    queue: inTurn,
    notifier: undefined,
  });
  const panel = createChoicePanel({ title: "May it?", options: [{ key: "n", label: "No", value: "no" }] });
  const permission = inTurn.runNow(() => screen.showPanel(panel, { where: "inline" }));
  await sees("May it?");
  const first = ui.confirm("The first?", "");
  const second = ui.confirm("The second?", "");
  await sleep(20);
  expect(await screenText()).not.toContain("The first?");
  terminal.press("n");
  expect(await permission).toBe("no");
  expect(await sees("The first?")).not.toContain("The second?");
  terminal.press("y", ENTER);
  await sees("The second?");
  terminal.press("n");
  expect(await Promise.all([first, second])).toEqual([true, false]);
});

test("XUI3 a question closes when its timeout passes, its signal aborts or its session is left", async () => {
  const { ui, own, sees, screenText } = await drawnUi();
  expect(await ui.confirm("Soon?", "", { timeout: 30 })).toBe(false);
  const enough = new AbortController();
  const unwanted = ui.input("Wanted?", "", { signal: enough.signal });
  await sees("Wanted?");
  enough.abort();
  expect(await unwanted).toBeUndefined();
  const left = ui.select("Left?", ["a", "b"]);
  await sees("Left?");
  own.close();
  expect(await left).toBeUndefined();
  await sleep(20);
  expect(await screenText()).not.toContain("?");
});

test("XUI4 after its session is left, an extension's questions fail and its status and widgets disappear", async () => {
  const { ui, own, screen } = await drawnUi();
  ui.setStatus("build", "green");
  ui.setWidget("todo", ["one"]);
  own.close();
  const before = screen.state;
  ui.setStatus("build", "red");
  ui.setWidget("todo", ["two"]);
  ui.notify("late");
  expect(await ui.confirm("Late?", "")).toBe(false);
  expect(screen.state).toBe(before);
  expect(before.extensionWidgets).toEqual({ statuses: {}, widgets: {} });
});

test("XUI5 statuses are shown below the meter, widgets above the editor, and a notification in the transcript", async () => {
  const { ui, sees, screenText } = await drawnUi();
  ui.setStatus("tests", "tests: 3 fail");
  ui.setStatus("build", "build: green");
  ui.setWidget("todo", ["[x] read", "[ ] write"]);
  ui.notify("Half of it is done.", "warning");
  const picture = await sees("build: green · tests: 3 fail");
  expect(picture).toContain("Half of it is done.");
  expect(picture.indexOf("[ ] write")).toBeGreaterThan(picture.indexOf("Half of it"));
  expect(picture.indexOf("[ ] write")).toBeLessThan(picture.indexOf("build: green"));
  ui.setStatus("tests", undefined);
  ui.setWidget("todo", undefined);
  await sleep(30);
  expect(await screenText()).not.toMatch(/tests|\[x\]/);
});

test("XUI6 statuses and widgets of any size take only a part of the screen", async () => {
  const { ui, screen, sees } = await drawnUi();
  for (let at = 0; at < 200; at++) {
    ui.setStatus(`s${at}`, `${at} ${"long ".repeat(100)}`);
    ui.setWidget(
      `w${at}`,
      Array.from({ length: 300 }, (_, row) => `widget ${at} row ${row}`),
    );
  }
  const picture = await sees("more lines");
  expect(picture.split("\n").filter((line) => line.includes("widget")).length).toBeLessThanOrEqual(6);
  const { statuses, widgets } = screen.state.extensionWidgets;
  expect(Object.keys(statuses).length).toBeLessThanOrEqual(50);
  expect(Math.max(...Object.values(statuses).map((text) => text.length))).toBeLessThanOrEqual(30);
  expect(Math.max(...Object.values(widgets).map((lines) => lines.length))).toBeLessThanOrEqual(10);
});

test("XUI7 control sequences and secrets in text of extensions are not shown", async () => {
  const { screen, screenText, terminal } = createTestScreen({ columns: 60, rows: 20 });
  const redacted = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value ?? null).replaceAll("hunter2", "[secret]"));
  const { ui } = ownUi(screen, redacted);
  const evil = "\x1b[2J\x1b]0;gotcha\x07hunter2\x9b31m";
  ui.setStatus("k", evil);
  ui.setWidget("w", [evil]);
  ui.notify(evil);
  const selection = ui.select(evil, [evil, "fine"]);
  await sleep(50);
  const picture = await screenText();
  expect(picture).not.toContain("hunter2");
  expect(picture.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(4);
  terminal.press(ENTER);
  expect(await selection).toBe(evil);
});

test("XUI8 in plain mode, questions are numbered lists or input lines, and statuses and widgets are printed", async () => {
  const { screen, takeOutput } = createRecordedScreen();
  const { ui } = ownUi(screen);
  const answered = async (asking: Promise<unknown>, ...lines: readonly string[]): Promise<unknown> => {
    await sleep(20);
    for (const line of lines) screen.openQuestion?.question.handleLine(line);
    return await asking;
  };
  expect(await answered(ui.select("Which?", ["red", "green"]), "2")).toBe("green");
  expect(takeOutput()).toEqual(["Question from an extension", " Which?", "1. red", "2. green", "0. cancel"]);
  expect(await answered(ui.confirm("Really?", "All of it."), "7", "1")).toBe(true);
  expect(await answered(ui.input("Name?", "Ada"), "up and down")).toBe("up and down");
  expect(takeOutput().slice(-4)).toEqual([
    "Question from an extension",
    "Name?",
    "For example: Ada",
    "Type your answer. Ctrl+C cancels.",
  ]);
  ui.setStatus("build", "green");
  ui.setStatus("build", "red");
  ui.setWidget("todo", ["one"]);
  ui.notify("done", "error");
  expect(takeOutput()).toEqual(["Status: green", "one", "Error: done"]);
});

test("XUI9 a status set before the session is on the screen appears with it", async () => {
  const { screen, screenText } = createTestScreen({ columns: 60, rows: 20 });
  const own = createExtensionUi(screen, {
    redact: (value) => value,
    showNote: () => {},
    queue: createPromptQueue(),
    notifier: undefined,
  });
  own.ui.setStatus("build", "green");
  await sleep(20);
  expect(await screenText()).not.toContain("green");
  own.open();
  await sleep(20);
  expect(await screenText()).toContain("green");
});
