/** A question in words: what is asked, and what a line that was typed does to it. */

import type { Spoken } from "../../panels/panel.ts";
import { asWords, plainSight } from "./as-words.ts";

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
