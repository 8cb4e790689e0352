/** Around the transcript: footer, status, queue, hint, title, call, editor, completion and the words at the end. */

import { expect, test } from "vitest";
import { createCompletionProvider } from "../../../../src/modes/interactive/editor/completion.ts";
import { formatNotification } from "../../../../src/modes/interactive/notifications.ts";
import { updateTitle } from "../../../../src/modes/interactive/session-output.ts";
import {
  type Activity,
  emptyExtensionWidgets,
  type ScreenState,
  withStatus,
  withWidget,
} from "../../../../src/modes/interactive/state/screen-state.ts";
import { createTerminal } from "../../../../src/text/process-io.ts";
import { hostileTexts } from "../../../support/hostile-texts.ts";
import { createRecordedScreen, createTestScreen, NOW } from "../../../support/test-screen.ts";
import { findForeignSequences, recordOutput } from "./written-sequences.ts";

/** Every text of a state that is no block. */
function statesOf(text: string, state: ScreenState): readonly ScreenState[] {
  const { footer } = state;
  const words = { model: text, thinking: text, folder: text, gitBranch: text, sessionName: text, place: text };
  const works: readonly Activity[] = [
    { type: "retrying", startedAt: NOW, errorMessage: text, retryAt: NOW + 5_000 },
    { type: "compacting", startedAt: NOW, reason: "manual", step: text },
    { type: "summarizing", startedAt: NOW, step: text },
  ];
  const queue = { steering: [text, text], followUp: [text] };
  const signs = withWidget(withStatus(emptyExtensionWidgets, text, text), text, [text, text]);
  return works.map((work) => ({
    ...state,
    activity: work,
    queue,
    extensionWidgets: signs,
    hint: text,
    footer: { ...footer, ...words },
  }));
}

test("SNK5 hostile text in the footer, status, queue, hint and extension widgets prints no control sequences", async () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  const bytes = recordOutput(terminal);
  for (const text of hostileTexts)
    for (const state of statesOf(text, screen.state)) {
      screen.update(() => state);
      screen.showNote(text);
      expect(findForeignSequences(bytes()), JSON.stringify(text.slice(0, 60))).toEqual([]);
    }
  screen.update((state) => ({ ...state, activity: { type: "idle" } }));
  screen.stop();
});

test("SNK5 in plain mode, hostile text in the same places prints no control sequences", () => {
  const { screen, takeOutput } = createRecordedScreen();
  for (const text of hostileTexts)
    for (const state of statesOf(text, screen.state)) {
      screen.update(() => state);
      screen.editorText.set(text);
      expect(
        findForeignSequences(takeOutput().join("\n").replaceAll("\t", "")),
        JSON.stringify(text.slice(0, 60)),
      ).toEqual([]);
      screen.update(() => ({ ...state, activity: { type: "idle" } }));
    }
});

test("SNK6 hostile text that is typed, pasted, set or recalled in the editor prints no control sequences", () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  const bytes = recordOutput(terminal);
  // What is printed is seen at once, and all the rest with it.
  const printAll = (): void => screen.showNote("next");
  for (const text of hostileTexts) {
    terminal.press(`\x1b[200~${text.replaceAll("\x1b[201~", "")}\x1b[201~`);
    printAll();
    screen.editorText.insert(text);
    printAll();
    screen.editorText.set(text);
    printAll();
    screen.editor.addToHistory(text);
    screen.editorText.set("");
    terminal.press("\x1b[A");
    printAll();
    expect(findForeignSequences(bytes()), JSON.stringify(text.slice(0, 60))).toEqual([]);
    screen.editorText.set("");
  }
  screen.stop();
});

test("SNK7 hostile file and template names in a completion list print no control sequences", async () => {
  const { screen, terminal } = createTestScreen({ columns: 80, rows: 24 });
  const bytes = recordOutput(terminal);
  const texts = hostileTexts.filter((text) => text.length < 500);
  for (let at = 0; at < texts.length; at += 8) {
    const candidates = texts.slice(at, at + 8).map((text) => ({ value: `/${text}`, description: text }));
    const sane = { value: "/sane", says: candidates.map(({ description }) => description).join(" ") };
    const commands = async () => [sane, ...candidates];
    screen.editor.setAutocompleteProvider(
      createCompletionProvider({ listCommands: commands, listArguments: async () => null, findPaths: async () => [] }),
    );
    terminal.type("/");
    for (let step = 0; step < 4; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      screen.showNote("next");
      terminal.press("\x1b[B");
    }
    terminal.press("\x1b");
    screen.editorText.set("");
    expect(findForeignSequences(bytes()), sane.says).toEqual([]);
  }
  screen.stop();
});

/** Of notifications, and of tmux around them. */
const brackets = ["\x1b]9;", "\x1b]777;", "\x1b]99;", "\x1bPtmux;", "\x1b\\"];

test("SNK8 a desktop notification of hostile text contains plain text only", () => {
  const environments = [{}, { KITTY_WINDOW_ID: "1" }, { VTE_VERSION: "7" }, { TMUX: "x" }];
  for (const text of hostileTexts)
    for (const environment of environments) {
      const sent = formatNotification(text, "desktop", environment).replaceAll("\x1b\x1b", "\x1b");
      const words = brackets.reduce((rest, bracket) => rest.replaceAll(bracket, ""), sent).replace(/\p{Cc}$/u, "");
      expect(findForeignSequences(words), JSON.stringify(text.slice(0, 60))).toEqual([]);
    }
});

test("SNK8 a terminal title of hostile text contains plain text only", () => {
  for (const name of hostileTexts) {
    const sent: string[] = [];
    updateTitle({ ...placed, type: "session_info", name }, { writeSequence: (sequence) => void sent.push(sequence) });
    const [title = ""] = sent;
    expect([title.slice(0, 4), title.at(-1), sent.length]).toEqual(["\x1b]0;", "\x07", 1]);
    const words = title.slice(4, -1);
    expect(findForeignSequences(words), JSON.stringify(name.slice(0, 60))).toEqual([]);
    expect(words).not.toContain("\n");
  }
});

const placed = { id: "e1", parentId: null, timestamp: "" } as const;

test("SNK8 the message after the program ends contains plain text only", () => {
  for (const text of hostileTexts) {
    const written: string[] = [];
    const stream = { on: () => {}, write: (line: string) => void written.push(line) };
    createTerminal({ stdout: stream, stderr: stream } as unknown as NodeJS.Process).notify(text);
    expect(written).toHaveLength(1);
    expect(findForeignSequences(written.join("").replaceAll("\t", "")), JSON.stringify(text.slice(0, 60))).toEqual([]);
  }
});
