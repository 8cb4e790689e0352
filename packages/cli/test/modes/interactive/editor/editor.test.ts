/** The editor on a terminal. */

import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { createCompletionProvider } from "../../../../src/modes/interactive/editor/completion.ts";
import type { EditorMessage } from "../../../../src/modes/interactive/editor/message.ts";
import { createTestScreen } from "../../../support/test-screen.ts";

const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));

test("TYP16 Shift+Enter, Ctrl+J and a backslash before Enter insert a new line, and undo removes it", () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  terminal.type("one");
  terminal.press("\x1b[13;2u");
  terminal.type("two");
  terminal.press("\n");
  terminal.type("three\\");
  terminal.press("\r");
  terminal.type("four");
  expect(screen.editorText.text).toBe("one\ntwo\nthree\nfour");
  terminal.press("\x1f");
  expect(screen.editorText.text).toBe("one\ntwo\nthree\n");
});

test("TYP16 the editor takes at most half of the screen", async () => {
  for (const rows of [14, 15, 16, 24, 40, 61]) {
    const { screen, terminal, screenText } = createTestScreen({ columns: 80, rows });
    terminal.press(...Array.from({ length: 60 }, () => ["x", "\n"]).flat());
    await settled();
    const lines = (await screenText()).split("\n");
    const [top, bottom] = [
      lines.findIndex((line) => line.startsWith("─")),
      lines.findLastIndex((line) => line.startsWith("─")),
    ];
    expect(bottom - top + 1).toBe(Math.floor(rows / 2));
    screen.stop();
  }
});

test("TYP15 Up on the first line and Down on the last line step through the history", () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  for (const words of ["first\nof two lines", "second"]) screen.editor.addToHistory(words);
  terminal.type("typed");
  terminal.press("\x1b[H", "\x1b[A");
  expect(screen.editorText.text).toBe("second");
  terminal.press("\x1b[A");
  expect(screen.editorText.text).toBe("first\nof two lines");
  terminal.press("\x1b[B", "\x1b[B", "\x1b[B", "\x1b[B");
  expect(screen.editorText.text).toBe("typed");
});

test.each([
  ["pasted", (text: string) => [paste(text)]],
  ["pasted in pieces", (text: string) => [`\x1b[200~${text.slice(0, 3)}`, `${text.slice(3)}\x1b[201~`]],
])("TYP8 control sequences in text that is %s are removed before it reaches the terminal", async (_, spelled) => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  terminal.press(...spelled("a\x1b[2Jb\x1b]0;title\x07c\x9b5nd\u202ee\r\nf"));
  await settled();
  expect(screen.editorText.text).toBe("abcde\nf");
  expect((await terminal.screen()).map((line) => line.trimEnd())).toEqual(expect.arrayContaining(["abcde", "f"]));
});

test("TYP8 control sequences are removed from text that the program sets, inserts or adds to the history", () => {
  const { screen } = createTestScreen({ columns: 80, rows: 24 });
  screen.editorText.set("a\x1b[31mb");
  screen.editorText.insert("\x9dc");
  screen.editor.addToHistory("d\u200be");
  expect(screen.editorText.text).toBe("abc");
});

test("TYP9 a very long paste is shown as one marker that is deleted as a whole, and the message has the full text", () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  const long = "all of it\n".repeat(100_000).trimEnd();
  terminal.press(paste(long));
  expect(screen.editor.getText()).toBe("[paste #1 +100000 lines]");
  const sent: EditorMessage[] = [];
  screen.editor.onMessage = (written) => void sent.push(written);
  screen.editor.sendAsFollowUp();
  const marker = "[paste #1 +100000 lines]";
  expect(sent).toEqual([{ text: long, typed: marker, images: [], pastes: [{ marker, text: long }], isFollowUp: true }]);
  terminal.press(paste(long), "\x7f");
  expect(screen.editorText.text).toBe("");
});

test("WORD6 a sent message marks which part was a folded paste and which was typed", () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  const sent: EditorMessage[] = [];
  screen.editor.onSubmit = (text) => void sent.push(screen.editor.buildMessage(text));
  const log = "a line of the log\n".repeat(20).trimEnd();
  terminal.type("Why? ");
  terminal.press(paste(log), paste(" short"), "\r");
  const marker = "[paste #1 +20 lines]";
  expect(sent).toEqual([
    { text: `Why? ${log} short`, typed: `Why? ${marker} short`, images: [], pastes: [{ marker, text: log }] },
  ]);
});

test("WORD6 a paste that returns from the history is a paste when it is sent again", () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  const sent: EditorMessage[] = [];
  screen.editor.onSubmit = (text) => void sent.push(screen.editor.buildMessage(text));
  const log = "a line of the log\n".repeat(20).trimEnd();
  terminal.type("Why? ");
  terminal.press(paste(log), "\r");
  screen.editorText.set(`Why? ${log}\n\nAnd then?`);
  terminal.press("\r");
  const marker = "[paste #1 +20 lines]";
  expect(sent[1]).toMatchObject({ typed: `Why? ${marker}\n\nAnd then?`, pastes: [{ marker, text: log }] });
  screen.editorText.set("Why?");
  terminal.press("\r");
  expect(sent[2]).toMatchObject({ typed: "Why?", pastes: [] });
});

test("TYP9 a very long text set into the editor becomes one marker", () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  const long = "a word or two ".repeat(20_000).trim();
  screen.editorText.set(long);
  expect(screen.editor.getText()).toMatch(/^\[paste #1 \d+ chars\]$/);
  terminal.type("!");
  expect(screen.editorText.text).toBe(`${long}!`);
});

test("TYP16 with a completion list the editor takes at most half of a small screen, and no line is too wide", async () => {
  const { screen, terminal, screenText } = createTestScreen({ columns: 60, rows: 16 });
  const items = Array.from({ length: 30 }, (_, at) => ({
    value: `/command-${at}-${"長い名前".repeat(at % 12)}`,
    description: "what it does, told at some length, so that it cannot all be seen 👩‍💻",
  }));
  const none = async (): Promise<null> => null;
  const sources = { listCommands: async () => items, listArguments: none, findPaths: async () => [] };
  screen.editor.setAutocompleteProvider(createCompletionProvider(sources));
  terminal.type("/c");
  await settled();
  const lines = (await screenText()).split("\n");
  const top = lines.findIndex((line) => line.startsWith("─"));
  const end = lines.findIndex((line) => line.includes("(1/30)"));
  expect(end - top + 1).toBe(8);
  for (const columns of [10, 20, 40])
    for (const line of screen.editor.render(columns)) expect(visibleWidth(line)).toBeLessThanOrEqual(columns);
  screen.stop();
});

/** An editor with commands and models to complete, and what it has sent. */
function completing() {
  const { screen, terminal, screenText } = createTestScreen({ columns: 80, rows: 24 });
  const sources = {
    listCommands: async () => ["/help", "/model", "/mode"].map((value) => ({ value })),
    listArguments: async () => ["openai/gpt-6-sol", "openai/gpt-6-sol-mini"].map((value) => ({ value })),
    findPaths: async () => [{ value: "src/a.ts" }],
  };
  screen.editor.setAutocompleteProvider(createCompletionProvider(sources));
  const sent: string[] = [];
  screen.editor.onSubmit = (text) => void sent.push(text);
  return { screen, terminal, screenText, sent };
}

test("TYP22 keys typed quickly never accept a completion of earlier text", async () => {
  const { screen, terminal, screenText, sent } = completing();
  terminal.type("/hel");
  await settled();
  terminal.press("\x15", ..."/model", "\r");
  expect(sent).toEqual(["/model"]);
  terminal.type("/he");
  await settled();
  terminal.press("l", "\t");
  await settled();
  expect(screen.editorText.text).toBe("/hel");
  terminal.press("\t", "\r");
  expect(sent).toEqual(["/model", "/help"]);
  terminal.type("see @sr");
  await settled();
  terminal.press("c", "/", "a", ".", "t", "s", "\r");
  expect(sent.at(-1)).toBe("see @src/a.ts");
  terminal.type("/hel");
  await settled();
  expect(await screenText()).toContain("→ /help");
  terminal.press("\x15");
  await settled();
  expect(await screenText()).not.toContain("→ /help");
});

test("TYP22 Enter sends an argument as it is typed; Tab, or an arrow key and Enter, accept a completion", async () => {
  const { screen, terminal, screenText, sent } = completing();
  for (const typed of ["/model gpt-6-sol", "/model openai/gpt"]) {
    terminal.type(typed);
    await settled();
    expect(await screenText()).toContain("openai/gpt-6-sol-mini");
    terminal.press("\r");
    expect(sent.at(-1)).toBe(typed);
  }
  terminal.type("/model gpt");
  await settled();
  terminal.press("\t");
  expect(screen.editorText.text).toBe("/model openai/gpt-6-sol ");
  terminal.press("\x15");
  terminal.type("/model gpt");
  await settled();
  terminal.press("\x1b[B", "\r");
  expect(screen.editorText.text).toBe("/model openai/gpt-6-sol-mini ");
  terminal.press("\r");
  expect(sent).toEqual(["/model gpt-6-sol", "/model openai/gpt", "/model openai/gpt-6-sol-mini"]);
});
