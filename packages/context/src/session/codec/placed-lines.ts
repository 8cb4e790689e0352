/** Lines in file order to entries in one tree: ids from the line or its position, old spellings upgraded, gaps where lines were lost. */

import type { Entry } from "../../entry.ts";
import { type Damage, type DamageKind, damageNotes, named } from "./damage.ts";
import { keptNobody } from "./kept-nobody.ts";
import { entryOf } from "./line/entry-of.ts";
import { withMembers } from "./line/json-text.ts";
import { type JsonObject, lineText, type WholeLine } from "./line/read-line.ts";
import { wrongField } from "./line/well-formed.ts";
import { type Upgrade, type Upgrades, upgradedText, upgradedValue, upgrades } from "./old-versions.ts";
import { type Placement, place, type Unplaced } from "./place.ts";
import type { RawLine } from "./split-lines.ts";
import { standingLines } from "./standing-lines.ts";
import type { ReadLine } from "./torn-tail.ts";

export interface Line {
  readonly entry: Entry;
  /** The line in today's spelling, without seal, every other byte as written; null for a gap. */
  text(): string | null;
}

export interface PlacedLines {
  readonly lines: readonly Line[];
  readonly damage: readonly Damage[];
}

export interface FileTraits {
  readonly headerAt: number;
  readonly ours: boolean;
  /** Whether its version promises an id and a parent on every line. */
  readonly linked: boolean;
}

export function placedLines(
  read: readonly ReadLine[],
  file: FileTraits,
): PlacedLines & { readonly incomplete: boolean } {
  const standing = standingLines(read, file.headerAt);
  const placements = place(standing.lines.map(unplaced));
  const placementOf = new Map(standing.lines.map((line, at) => [line, placements[at]]));
  const old = upgrades();
  const around = { ...file, old };
  const parts = read.map((line) => {
    const placement = placementOf.get(line);
    const part = placement ? lineAt(placement, line, around) : NOTHING;
    old.count(placement?.id ?? null, line.reading.type === "whole" ? line.reading.value.type : null);
    return part;
  });
  const lines = parts.flatMap((part) => part.lines);
  const misled = keptNobody(lines.map((line) => line.entry));
  return {
    lines,
    damage: [
      ...standing.damage,
      ...parts.flatMap((part) => part.damage),
      ...standing.lines.filter((_, at) => misled.has(placements[at]?.id ?? "")).map(keepsNobody),
    ],
    incomplete: standing.lines.some(
      ({ reading }) => reading.type === "whole" && wrongPlace(reading.value, true) !== null,
    ),
  };
}

function unplaced({ raw, reading }: ReadLine): Unplaced {
  if (reading.type === "damaged") {
    return { id: reading.legible.id ?? null, parent: reading.legible.parentId, lost: true, offset: raw.offset };
  }
  const { id, parentId } = reading.value;
  const parent = typeof parentId === "string" || parentId === null ? parentId : undefined;
  const own = typeof id === "string" && id !== "" ? id : `at-${raw.offset}`;
  return { id: own, parent, lost: false, offset: raw.offset };
}

// What is no id is as good as none, but must not go unsaid.
function wrongPlace({ id, parentId }: JsonObject, linked: boolean): string | null {
  if (id === undefined ? linked : typeof id !== "string" || id === "") return "id";
  if (parentId === undefined ? linked : parentId !== null && typeof parentId !== "string") return "parentId";
  return null;
}

interface LineTraits extends FileTraits {
  readonly raw: RawLine;
  readonly old: Upgrades;
}

function lineAt(placement: Placement, { raw, reading }: ReadLine, file: Omit<LineTraits, "raw">): PlacedLines {
  const { gap, troubles } = placement;
  const part =
    reading.type === "damaged"
      ? { lines: [gapLine(placement, reading.kind)], damage: [named(reading.kind, raw)] }
      : wholeLine(placement, reading, { ...file, raw });
  return {
    lines: gap ? [gapLine(gap, gap.why), ...part.lines] : part.lines,
    damage: [...troubles.map((trouble) => named(trouble, raw)), ...part.damage],
  };
}

function wholeLine(placement: Placement, reading: WholeLine, { raw, old, ours, linked }: LineTraits): PlacedLines {
  const upgrade = old.upgrade(reading.value, placement.id);
  const value = upgradedValue(reading.value, upgrade);
  const wrong = wrongField(value);
  const entry = entryOf(value, placement, wrong !== null);
  const misspelt = wrong ?? wrongPlace(value, linked);
  const damage: Damage[] = [];
  if (reading.blemish) damage.push(named(reading.blemish, raw));
  if (misspelt) damage.push(named("malformed", raw, misspelt));
  if (upgrade.keepsNobody && entry.type === "compaction") damage.push(keepsNobody({ raw }));
  return { lines: [{ entry, text: () => textOf(lineText(raw.bytes, ours), entry, upgrade) }], damage };
}

const keepsNobody = ({ raw }: Pick<ReadLine, "raw">): Damage => named("missing-first-kept", raw);

function gapLine({ id, parentId }: Pick<Entry, "id" | "parentId">, why: DamageKind): Line {
  return { entry: { type: "gap", id, parentId, timestamp: "", why: damageNotes[why] }, text: () => null };
}

// A timestamp that is missing or no string stays so: nothing hangs on it, and its bytes may mean something to others.
function textOf(written: string, { id, parentId }: Entry, upgrade: Upgrade): string {
  const value = JSON.parse(written) as JsonObject;
  const changes: Record<string, string> = {};
  if (value.id !== id) changes.id = JSON.stringify(id);
  if (value.parentId !== parentId) changes.parentId = JSON.stringify(parentId);
  return withMembers(upgradedText(written, upgrade), changes);
}

const NOTHING: PlacedLines = { lines: [], damage: [] };
