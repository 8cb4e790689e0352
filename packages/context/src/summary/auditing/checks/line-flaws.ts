/** What is wrong with one line by itself. */

import type { Evidence } from "../evidence.ts";
import type { Flaw } from "../flaw.ts";
import { citedIds } from "../story/citations.ts";
import type { StoryLine } from "../story/place-lines.ts";
import type { LineCheck } from "./check.ts";
import { unfounded } from "./footing.ts";
import { forged } from "./forged.ts";
import { unknownHandle, unknownId } from "./ids.ts";
import { unknownName } from "./names.ts";
import { falseQuote } from "./quotes.ts";

export function lineFlaws(line: StoryLine, evidence: Evidence): readonly Flaw[] {
  if (line.text.trim() === "") return [];
  const fake = forged(line, evidence);
  if (fake) return [fake];
  const checks = isUsersOwn(line, evidence) ? ownChecks : lineChecks;
  return checks.flatMap((check) => check(line, evidence) ?? []);
}

const lineChecks: readonly LineCheck[] = [unknownId, falseQuote, unfounded, unknownName];
const ownChecks: readonly LineCheck[] = [unknownHandle];

// A message's own first words may be cut anywhere, and still are the user's.
function isUsersOwn({ text }: StoryLine, evidence: Evidence): boolean {
  return citedIds(text)
    .slice(0, 1)
    .some((id) => evidence.isOpening(id, text));
}
