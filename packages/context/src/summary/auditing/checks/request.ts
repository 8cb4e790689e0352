/** AUD6: a summary says what the user asked for last, and where. */

import type { Flaw } from "../flaw.ts";
import { citedIds } from "../story/citations.ts";
import { GOAL, REQUEST } from "../story/headings.ts";
import type { Audited } from "./check.ts";

export function wrongRequest({ lines, evidence }: Pick<Audited, "lines" | "evidence">): readonly Flaw[] {
  const { request } = evidence;
  const asking = lines.filter(({ section }) => section === GOAL || section === REQUEST);
  if (request === null || asking.length === 0) return [];
  const isCited = asking.some(({ text }) => citedIds(text).some((id) => evidence.knownId(id) === request.id));
  const note = `the Goal does not cite the user's latest request, entry:${request.id}`;
  return isCited ? [] : [{ code: "wrong-request", note, line: null }];
}
