/** What the index keeps of a line. A line of ours whose seal holds needs no parsing: it is as it was written. */

import type { Entry } from "../../../entry.ts";
import { entryAlone } from "../../../session/codec/line/entry-of.ts";
import { type LineRules, readRaw } from "../../../session/codec/line/read-line.ts";
import { sealHolds, sealOf } from "../../../session/codec/line/seal.ts";
import type { PassedLine } from "../lines/forwards.ts";
import { peek } from "../lines/peek.ts";
import { type Kind, kinds } from "./line-index.ts";

export interface Sketch {
  readonly id: string;
  readonly parentId: string | null;
  readonly kind: Kind;
}

/** Null for a line that is not as it should be: then the whole file must be read with care. */
export function sketchOf(line: PassedLine, rules: LineRules): Sketch | null {
  const glimpse = line.overlong || !isSealed(line.bytes, rules) ? null : peek(line.bytes);
  if (glimpse) return { id: glimpse.id, parentId: glimpse.parentId, kind: kindOf(glimpse.kind, glimpse.role) };
  const reading = readRaw(line, rules);
  if (reading.type === "damaged" || reading.blemish) return null;
  const entry = entryAlone(reading.value);
  return entry && sketchOfEntry(entry);
}

export function sketchOfEntry(entry: Entry): Sketch {
  const role = entry.type === "message" ? entry.message.role : undefined;
  return { id: entry.id, parentId: entry.parentId, kind: kindOf(entry.type, role) };
}

function kindOf(type: unknown, role: unknown): Kind {
  if (type === "message" && role === "assistant") return "assistant";
  return kinds.find((kind) => kind === type) ?? "other";
}

function isSealed(bytes: Buffer, { ours, checksum }: LineRules): boolean {
  const seal = ours ? sealOf(bytes) : null;
  return seal !== null && sealHolds(seal, bytes, checksum);
}
