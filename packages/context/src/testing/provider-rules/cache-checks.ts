/** Checks cache marks: how many there are, and that each is on an existing message. */

import { fields, listAt } from "./places.ts";
import type { Check } from "./rule.ts";

export function cacheMarksBeyond(most: number): Check {
  return (request) => {
    const count = listAt(request, "cacheMarks").length;
    return count > most ? [`cacheMarks: ${count} marks, ${most} are allowed`] : [];
  };
}

export const cacheMarksNowhere: Check = (request) => {
  const count = listAt(request, "messages").length;
  return listAt(request, "cacheMarks")
    .map((mark, index) => ({ at: `cacheMarks[${index}]`, mark: fields(mark) }))
    .filter(({ mark }) => mark.after === "message" && !isIndex(mark.index, count))
    .map(({ at }) => `${at}: there is no such message`);
};

function isIndex(value: unknown, count: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < count;
}
