/** Where and when the agent works: told behind what was said, never in the beginning, so that a new day costs no cache. */

import type { Drafted, Window } from "@pith/context";

export interface SurroundingsParts {
  readonly folder: string;
  readonly now: number;
}

const SURROUNDINGS = "pith.surroundings";

/** Null where the newest one says the same. */
export function surroundings(window: Window, { folder, now }: SurroundingsParts): Drafted | null {
  const content = `The working folder is ${folder}. Today is ${new Date(now).toISOString().slice(0, 10)}.`;
  const last = window.entries.findLast((entry) => entry.type === "custom_message" && entry.customType === SURROUNDINGS);
  if (last?.type === "custom_message" && last.content === content) return null;
  return { type: "custom_message", customType: SURROUNDINGS, content, display: false };
}
