/** How hard a summariser thinks: as the session does, but never more than a summary needs (B41). */

import type { ThinkingLevel } from "../message.ts";

/** The session's level, at most `medium`. */
export function moderate(level: string): ThinkingLevel {
  return LEVELS.find((each) => each === level) ?? (level === "" ? "off" : "medium");
}

const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium"];
