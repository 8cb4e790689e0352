/** The line that says whose session it is, which version, and whether its lines carry a seal. */

import type { Header } from "../../entry.ts";
import type { Ports } from "../../ports.ts";
import { type Damage, named } from "./damage.ts";
import {
  type DamagedLine,
  type JsonObject,
  type LineRules,
  lineText,
  readLine,
  readRaw,
  type WholeLine,
} from "./line/read-line.ts";
import type { RawLine } from "./split-lines.ts";

export interface FoundHeader {
  readonly header: Header | null;
  /** Its line without seal, exactly as written. */
  readonly text: string | null;
  /** Which of the lines it is; -1 for none. */
  readonly at: number;
  readonly ours: boolean;
  readonly damage: readonly Damage[];
}

export const CURRENT_VERSION = 3;

export interface Origin {
  /** The folder the session belongs to. */
  readonly cwd: string;
  /** The file it was forked from. */
  readonly parentSession?: string;
}

/** The header of a new session of ours. */
export function newHeader({ cwd, parentSession }: Origin, ports: Pick<Ports, "now" | "sessionId">): Header {
  return {
    type: "session",
    version: CURRENT_VERSION,
    id: ports.sessionId(),
    timestamp: new Date(ports.now()).toISOString(),
    cwd,
    ...(parentSession !== undefined && { parentSession }),
    pith: { format: 1 },
  };
}

/** The first header in the file, wherever it stands: one in the wrong place still says whose session this is. */
export function findHeader(lines: readonly RawLine[], rules: Omit<LineRules, "ours">): FoundHeader {
  let first: { readonly raw: RawLine; readonly sealed: boolean } | null = null;
  for (const [at, raw] of lines.entries()) {
    const reading = readRaw(raw, { ...rules, ours: true });
    const found = reading.type === "whole" ? asHeader(raw, reading) : asDamagedHeader(raw, reading, rules);
    if (found) return { ...found, at, damage: first ? [noHeader(first.raw), ...found.damage] : found.damage };
    if (reading.type === "whole") first ??= { raw, sealed: reading.sealed };
  }
  return { header: null, text: null, at: -1, ours: first?.sealed ?? false, damage: [noHeader(first?.raw ?? lines[0])] };
}

type ReadHeader = Omit<FoundHeader, "at">;

function asHeader(raw: RawLine, { value, blemish }: WholeLine): ReadHeader | null {
  if (!isHeader(value)) return null;
  const format: unknown = value.pith?.format;
  const future = (value.version ?? 1) > CURRENT_VERSION || (format !== undefined && format !== 1);
  const ours = format === 1;
  const kinds = [blemish, future ? ("future-version" as const) : null].filter((kind) => kind !== null);
  return { header: value, text: lineText(raw.bytes, ours), ours, damage: kinds.map((kind) => named(kind, raw)) };
}

// A header that changed a little is still worth more than none; its lines are checked one by one anyway.
function asDamagedHeader(raw: RawLine, { kind }: DamagedLine, rules: Omit<LineRules, "ours">): ReadHeader | null {
  if (kind !== "wrong-checksum") return null;
  const text = lineText(raw.bytes, true);
  const bare = readLine(new TextEncoder().encode(text), { ...rules, ours: false });
  if (bare.type !== "whole" || !isHeader(bare.value)) return null;
  // Our files are of this version; what else the line may say by now is not to keep anyone out.
  return { header: { ...bare.value, version: CURRENT_VERSION }, text, ours: true, damage: [named(kind, raw)] };
}

function isHeader(value: JsonObject): value is JsonObject & Header {
  return value.type === "session" && typeof value.id === "string";
}

const noHeader = (raw: RawLine | undefined): Damage => named("no-header", raw);
