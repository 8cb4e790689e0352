/** Turns panels into questions in plain lines, answered by a number, a line of text or key names. */

import { stripVTControlCharacters } from "node:util";
import { plain } from "../../../text/safe-text.ts";
import type { OpenPanel } from "../panels/open-panel.ts";
import type { Sight, Spoken } from "../panels/panel.ts";
import { themeNamed } from "../render/theme.ts";
import { CURSOR_MARKER } from "../terminal/pi-tui.ts";

export function asWords(lines: readonly string[]): readonly string[] {
  return lines
    .flatMap((line) => plain(stripVTControlCharacters(line.replaceAll(CURSOR_MARKER, ""))).split("\n"))
    .map((line) => line.replace(FRAME_BEFORE, "").replace(FRAME_BEHIND, "").trimEnd())
    .filter((line) => line.trim() !== "");
}

/** Boxes and rules, which would be read out sign by sign; what stands between words may be somebody's own. */
const FRAME_BEFORE = /^[\s\u2500-\u259f]*[\u2500-\u259f]/;
const FRAME_BEHIND = /[\u2500-\u259f][\s\u2500-\u259f]*$/;

/** Wide and high enough that nothing is cut which could be said. */
export const plainSight: Sight = { width: 160, height: 60, theme: themeNamed("none") };

/** `isOpen` says whether it still waits. */
export function keyed(panel: OpenPanel, isOpen: () => boolean): Question {
  const lines = (): readonly string[] => [...asWords(panel.draw(plainSight)), HOW];
  return {
    lines,
    prompt: "Keys: ",
    hear: (line) => {
      for (const key of keysIn(line)) if (isOpen()) panel.press(key);
      return isOpen() ? lines() : null;
    },
  };
}

const HOW = "Answer with keys, such as: down, enter, escape. Other words are typed. An empty line is enter.";

/** All words are keys, or all of the line is typed. */
function keysIn(line: string): readonly string[] {
  const words = line.trim().split(/\s+/);
  if (line.trim() === "") return ["enter"];
  if (words.every((word) => KEY.test(word))) return words;
  return [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment);
}

const KEY =
  /^(?:(?:(?:ctrl|alt|shift)\+)+\S|up|down|left|right|enter|escape|tab|space|backspace|home|end|pageUp|pageDown|\S)$/;

export interface Question {
  /** What is asked, whenever it is to be read out. */
  lines(): readonly string[];
  readonly prompt: string;
  /** What to say to it; null where that was an answer. */
  hear(line: string): readonly string[] | null;
}

/** One of a few by its number, or a line of one's own. `answer` is given null for none of them. */
export function spokenQuestion<Answer>(spoken: Spoken<Answer>, answer: (given: Answer | null) => void): Question {
  return spoken.line ? typed({ ...spoken, line: spoken.line }, answer) : numbered(spoken, answer);
}

function typed<Answer>(
  { title, lines, line }: Spoken<Answer> & Required<Pick<Spoken<Answer>, "line">>,
  answer: (given: Answer | null) => void,
): Question {
  return {
    lines: () => asWords([title, ...lines(plainSight), "Answer with a line. Ctrl+C leaves it."]),
    prompt: "Your line: ",
    hear: (text) => {
      answer(line(text));
      return null;
    },
  };
}

function numbered<Answer>({ title, lines, options }: Spoken<Answer>, answer: (given: Answer | null) => void): Question {
  const rows = options.map(({ label, says }, at) => `${at + 1}. ${label}${says ? `: ${says}` : ""}`);
  const wish = `a number from 0 to ${options.length}`;
  return {
    lines: () => asWords([title, ...lines(plainSight), ...rows, "0. none of these"]),
    prompt: `Answer with ${wish}: `,
    hear: (line) => {
      const number = /^\s*(\d{1,4})\s*\.?\s*$/.exec(line)?.[1];
      const option = options[Number(number) - 1];
      if (number === undefined || (Number(number) !== 0 && !option)) return [`It needs ${wish}.`];
      answer(option ? option.value : null);
      return null;
    },
  };
}
