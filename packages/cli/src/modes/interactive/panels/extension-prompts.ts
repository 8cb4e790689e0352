/** Defines the questions that extensions can ask: a choice, yes or no, and a line of text. Each title says that an extension asks. */

import { toSafeLine, toSafeLines } from "@pith/host/text/safe-text";
import { wrapTextWithAnsi } from "../terminal/pi-tui.ts";
import { createChoicePanel, createPickPanel, type PickResult, type PickState } from "./choice.ts";
import { continueWith, finishWith, type Panel, type Viewport } from "./panel.ts";
import { editInput, emptyInput, type LineInput, type ListPosition, renderHints, renderInput } from "./widgets.ts";

const QUESTION_TITLE = "Question from an extension";

/** The answer is the index of the chosen option. */
export function createSelectPanel(title: string, options: readonly string[]): Panel<ListPosition, number> {
  return createChoicePanel({
    title: QUESTION_TITLE,
    body: ({ theme }) => toSafeLines(title, MAX_TEXT_LINES).map((line) => theme.strong(` ${line}`)),
    options: options.map((option, value) => ({ label: toSafeLine(option, MAX_LINE_CHARS), value })),
  });
}

/** For more options than fit on the screen: typing filters them. The answer contains the index of the chosen option. */
export function createSearchPanel(title: string, options: readonly string[]): Panel<PickState, PickResult<number>> {
  const rows = options.map((option, value) => ({ label: toSafeLine(option, MAX_LINE_CHARS), description: "", value }));
  return createPickPanel({
    title: `${QUESTION_TITLE}: ${toSafeLine(title, MAX_LINE_CHARS)}`,
    rows,
    leaveHint: "Esc cancel",
  });
}

export function createConfirmPanel(title: string, message: string): Panel<ListPosition, boolean> {
  return createChoicePanel({
    title: QUESTION_TITLE,
    body: ({ theme }) => [
      ...toSafeLines(title, MAX_TEXT_LINES).map((line) => theme.strong(` ${line}`)),
      ...(message === "" ? [] : toSafeLines(message, MAX_TEXT_LINES).map((line) => ` ${line}`)),
    ],
    options: [
      // ASK3: an extension may ask before it runs something, and `y` may be the first letter of a message.
      { key: "y", label: "Yes", value: true, isLasting: true },
      { key: "n", label: "No", value: false },
    ],
  });
}

export function createInputPanel(title: string, placeholder: string): Panel<LineInput, string> {
  return {
    initialState: emptyInput,
    plainQuestion: {
      title: QUESTION_TITLE,
      lines: () => [title, ...(placeholder === "" ? [] : [`For example: ${placeholder}`])].flatMap(splitSafeLines),
      options: [],
      parseLine: (text) => text,
    },
    handleKey: (input, key) => {
      if (key === "enter") return finishWith(input.text);
      const nextInput = editInput(input, key);
      return nextInput && continueWith(nextInput);
    },
    render: (input, viewport) => renderInputPanel({ input, title, placeholder }, viewport),
  };
}

function renderInputPanel(
  { input, title, placeholder }: { readonly input: LineInput; readonly title: string; readonly placeholder: string },
  { width, height, theme, isTyping = false }: Viewport,
): readonly string[] {
  const placeholderText =
    input.text === "" && placeholder !== "" ? theme.dim(toSafeLine(placeholder, MAX_LINE_CHARS)) : "";
  const inputRows = wrapTextWithAnsi(` ❯ ${renderInput(input, theme)}${placeholderText}`, Math.max(1, width));
  const titleRows = splitSafeLines(title).flatMap((row) => wrapTextWithAnsi(` ${row}`, Math.max(1, width)));
  return [
    theme.border("─".repeat(width)),
    theme.strong(` ${QUESTION_TITLE}`),
    ...titleRows.slice(0, Math.max(1, height - inputRows.length - 3)).map((row) => theme.strong(row)),
    ...inputRows,
    isTyping ? "" : renderHints(["Enter submit", "Esc cancel"], { width, theme }),
  ];
}

function splitSafeLines(text: string): readonly string[] {
  return toSafeLines(text, MAX_TEXT_LINES);
}

const MAX_LINE_CHARS = 200;
const MAX_TEXT_LINES = 12;
