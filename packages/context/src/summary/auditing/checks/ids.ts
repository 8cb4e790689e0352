/** AUD2: what a summary cites exists. */

import type { Evidence } from "../evidence.ts";
import { type Flaw, shown } from "../flaw.ts";
import { blobsIn, citedIds, leftOver } from "../story/citations.ts";
import type { StoryLine } from "../story/place-lines.ts";
import type { LineCheck } from "./check.ts";

export const unknownId: LineCheck = (line, evidence) =>
  flawOf(line, [...unknownHandles(line.text, evidence), ...leftOver(line.text)]);

/** The same for a line in which a person's own words may look like numbers of a prompt. */
export const unknownHandle: LineCheck = (line, evidence) => flawOf(line, unknownHandles(line.text, evidence));

function unknownHandles(text: string, evidence: Evidence): readonly string[] {
  const blobs = blobsIn(text).filter((hash) => !evidence.isBlob(hash));
  return [...citedIds(text).filter((id) => evidence.knownId(id) === null), ...blobs.map((hash) => `blob:${hash}`)];
}

function flawOf({ number }: StoryLine, unknown: readonly string[]): Flaw | null {
  if (unknown.length === 0) return null;
  const names = unknown
    .slice(0, MOST)
    .map((id) => shown(id.trim()))
    .join(", ");
  return { code: "unknown-id", note: `line ${number} cites what does not exist: ${names}`, line: number };
}

const MOST = 5;
