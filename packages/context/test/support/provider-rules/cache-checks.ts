/** Checks cache marks: how many there are, and that each is on an existing message. */

import { readListField, toJsonFields } from "./places.ts";
import type { RequestCheck } from "./rule.ts";

export function tooManyCacheMarks(max: number): RequestCheck {
  return (request) => {
    const count = readListField(request, "cacheMarks").length;
    return count > max ? [`cacheMarks: ${count} marks, ${max} are allowed`] : [];
  };
}

export const cacheMarksWithoutMessage: RequestCheck = (request) => {
  const count = readListField(request, "messages").length;
  return readListField(request, "cacheMarks")
    .map((mark, index) => ({ at: `cacheMarks[${index}]`, mark: toJsonFields(mark) }))
    .filter(({ mark }) => mark.after === "message" && !isMessageIndex(mark.index, count))
    .map(({ at }) => `${at}: there is no such message`);
};

function isMessageIndex(value: unknown, count: number): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < count;
}
