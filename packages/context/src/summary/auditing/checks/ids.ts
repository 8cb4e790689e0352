/** AUD2: what a summary cites exists. */

import { shown } from "../flaw.ts";
import { citedIds, leftOver } from "../story/citations.ts";
import type { LineCheck } from "./check.ts";

export const unknownId: LineCheck = ({ text, number }, evidence) => {
  const unknown = [...citedIds(text).filter((id) => evidence.knownId(id) === null), ...leftOver(text)];
  if (unknown.length === 0) return null;
  const names = unknown
    .map((id) => shown(id.trim()))
    .slice(0, MOST)
    .join(", ");
  return { code: "unknown-id", note: `line ${number} cites what does not exist: ${names}`, line: number };
};

const MOST = 5;
