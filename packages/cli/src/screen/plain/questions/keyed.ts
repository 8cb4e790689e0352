/** A panel that knows no numbers, answered with the names of its keys: `down enter`, or words that are typed into it. */

import type { OpenPanel } from "../../panels/open-panel.ts";
import { asWords, plainSight } from "./as-words.ts";
import type { Question } from "./question.ts";

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
