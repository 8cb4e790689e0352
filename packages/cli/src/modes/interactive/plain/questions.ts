/** Converts panels to questions in plain lines, which are answered with a number, a line of text or key names. */

import { stripVTControlCharacters } from "node:util";
import { escapeControls } from "@pith/host/text/safe-text";
import type { OpenPanel, PlainQuestion, Viewport } from "../panels/panel.ts";
import { createTheme } from "../render/theme.ts";
import { CURSOR_MARKER } from "../terminal/pi-tui.ts";

function toPlainLines(lines: readonly string[]): readonly string[] {
  return lines
    .flatMap((line) => escapeControls(stripVTControlCharacters(line.replaceAll(CURSOR_MARKER, ""))).split("\n"))
    .map((line) => line.replace(LEADING_FRAME, "").replace(TRAILING_FRAME, "").trimEnd())
    .filter((line) => line.trim() !== "");
}

/** Frames of panels, which a screen reader would read character by character. Such characters inside a text may be part of it. */
const LEADING_FRAME = /^[\s\u2500-\u259f]*[\u2500-\u259f]/;
const TRAILING_FRAME = /[\u2500-\u259f][\s\u2500-\u259f]*$/;

/** Wide and high enough that no text is cut off. */
const plainViewport: Viewport = { width: 160, height: 60, theme: createTheme("none") };

/** Passes the typed keys to the panel. `isOpen` returns whether the panel still waits for an answer. */
export function createKeyQuestion(panel: OpenPanel, isOpen: () => boolean): Question {
  const lines = (): readonly string[] => [...toPlainLines(panel.render(plainViewport)), KEY_HINT];
  return {
    lines,
    prompt: "Keys: ",
    handleLine: (line) => {
      for (const key of parseKeys(line)) if (isOpen()) panel.handleKey(key);
      return isOpen() ? lines() : null;
    },
  };
}

const KEY_HINT =
  "Answer with key names, such as: down, enter, escape. Anything else is typed literally. An empty line means enter.";

/** If every word is a key name, returns the keys, otherwise each character of the line. */
function parseKeys(line: string): readonly string[] {
  const words = line.trim().split(/\s+/);
  if (line.trim() === "") return ["enter"];
  if (words.every((word) => KEY_PATTERN.test(word))) return words;
  return [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment);
}

const KEY_PATTERN =
  /^(?:(?:(?:ctrl|alt|shift)\+)+\S|up|down|left|right|enter|escape|tab|space|backspace|home|end|pageUp|pageDown|\S)$/;

export interface Question {
  /** The text of the question. */
  lines(): readonly string[];
  readonly prompt: string;
  /** Returns lines to write, or null if the line was an answer. */
  handleLine(line: string): readonly string[] | null;
}

/** Asks for the number of an option, or for a line of text. `answer` receives null if the user chooses none. */
export function createQuestion<Answer>(
  source: PlainQuestion<Answer>,
  answer: (value: Answer | null) => void,
): Question {
  return source.parseLine
    ? createTextQuestion({ ...source, parseLine: source.parseLine }, answer)
    : createChoiceQuestion(source, answer);
}

function createTextQuestion<Answer>(
  { title, lines, parseLine }: PlainQuestion<Answer> & Required<Pick<PlainQuestion<Answer>, "parseLine">>,
  answer: (value: Answer | null) => void,
): Question {
  return {
    lines: () => toPlainLines([title, ...lines(plainViewport), "Type your answer. Ctrl+C cancels."]),
    prompt: "Your answer: ",
    handleLine: (text) => {
      answer(parseLine(text));
      return null;
    },
  };
}

function createChoiceQuestion<Answer>(
  { title, lines, options, cancelLabel = "cancel" }: PlainQuestion<Answer>,
  answer: (value: Answer | null) => void,
): Question {
  const rows = options.map(
    ({ label, description }, index) => `${index + 1}. ${label}${description ? `: ${description}` : ""}`,
  );
  const expected = `a number from 0 to ${options.length}`;
  return {
    lines: () => toPlainLines([title, ...lines(plainViewport), ...rows, `0. ${cancelLabel}`]),
    prompt: `Enter ${expected}: `,
    handleLine: (line) => {
      const number = /^\s*(\d{1,4})\s*\.?\s*$/.exec(line)?.[1];
      const option = options[Number(number) - 1];
      if (number === undefined || (Number(number) !== 0 && !option)) return [`Enter ${expected}.`];
      answer(option ? option.value : null);
      return null;
    },
  };
}
