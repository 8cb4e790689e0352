/** Material between marks that bear a random word: no content can foresee it, so none can pass for a mark. */

import type { UserMessage } from "../../message.ts";
import type { Ports } from "../../ports.ts";
import { userText } from "../../reading/spoken.ts";
import { escaped } from "../escaped.ts";

export interface Material {
  readonly tag: "conversation" | "turn" | "previous-summary" | "partial-summary" | "findings";
  /** Escaped already where it is a transcript; what models wrote is escaped here. */
  readonly text: string;
}

export interface Marked {
  readonly nonce: string;
  readonly message: UserMessage;
}

/** What the marks around one piece of material take at most. */
export const MARK_TOKENS = 60;

/** The material first, and then, outside of all marks, what is to be done with it. */
export function marked(materials: readonly Material[], task: string, { nonce }: Pick<Ports, "nonce">): Marked {
  const word = unusedWord(nonce, materials);
  const parts = materials.map(({ tag, text }) => `<${tag} ${word}>\n${text}\n</${tag} ${word}>`);
  return { nonce: word, message: userText([...parts, task].join("\n\n"), 0) };
}

/** A summary as material: what a model once wrote is no more to be trusted than what it read. */
export function summaryMaterial(tag: Material["tag"], summary: string): readonly Material[] {
  return summary === "" ? [] : [{ tag, text: escaped(summary) }];
}

function unusedWord(nonce: () => string, materials: readonly Material[]): string {
  for (let tries = 0; ; tries++) {
    // One that always draws the same would never end.
    const word = tries < 10 ? nonce() : `${nonce()}${tries}`;
    if (word !== "" && !materials.some(({ text }) => text.includes(word))) return word;
  }
}
