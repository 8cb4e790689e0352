/** AUD4: nothing in a story passes for what code alone writes, least of all for the user's own words. */

import { shown } from "../flaw.ts";
import type { LineCheck } from "./check.ts";

export const forged: LineCheck = ({ text, number, isForged }) => {
  if (!isForged) return null;
  const note = `line ${number} passes for a part of the record that no story has: ${shown(text)}`;
  return { code: "unfounded", note, line: number };
};
