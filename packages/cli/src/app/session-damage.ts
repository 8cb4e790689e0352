/** Describes the damage that opening a session found, as the one event that every mode shows. */

import type { AgentEvent } from "@pith/agent";
import type { GapEntry } from "@pith/context";
import { TORN_END_NOTE } from "@pith/context/host";
import { crashDamageKinds, type Damage, harmlessDamageKinds } from "@pith/context/store";
import { wordFor } from "../sessions/find-session.ts";
import { counted } from "../text/format.ts";

type DamageKind = Damage["kind"];

export type SessionDamaged = Extract<AgentEvent, { type: "session_damaged" }>;

/** What opening found. */
export interface FoundDamage {
  readonly damage: readonly Damage[];
  /** Gaps on the branch: also those whose lines were lost before the file was written anew. */
  readonly gaps: readonly GapEntry[];
  /** The session's id. */
  readonly id: string;
  readonly path: string;
  /** Pith's home. */
  readonly home: string;
}

/** Null where every entry is there and reads as it was written. */
export function describeDamage({ damage, gaps, id, path, home }: FoundDamage): SessionDamaged | null {
  const told = withoutConsequences(damage.filter(({ kind }) => !harmlessDamageKinds.has(kind)));
  const clauses = told.length > 0 ? clausesOf(told) : gaps.length > 0 ? [lostEntries(gaps)] : [];
  if (clauses.length === 0) return null;
  const message = `This session is damaged: ${joined(clauses)}. Nothing was deleted, and everything else is used; where a message is missing, the model is told. To see the damaged lines, run: pith doctor ${wordFor({ id, path }, home)}`;
  return {
    type: "session_damaged",
    message,
    damage: told.slice(0, MOST_DETAILS).map(({ kind, line, note }) => ({ kind, line, note })),
    count: Math.max(told.length, gaps.length),
  };
}

/** What the model is told before the next message; null where the gaps on its branch say all there is to say. */
export function tornEndNote(damage: readonly Damage[]): string | null {
  return damage.some(({ kind }) => crashDamageKinds.has(kind)) ? TORN_END_NOTE : null;
}

// The line after a lost one may no longer find its parent: that is the same damage, not a second one.
function withoutConsequences(damage: readonly Damage[]): readonly Damage[] {
  const lost = new Set(damage.filter(({ kind }) => kind !== "missing-parent").map(({ line }) => line));
  return damage.filter(({ kind, line }) => kind !== "missing-parent" || !lost.has(line - 1));
}

function clausesOf(damage: readonly Damage[]): readonly string[] {
  const of = (...kinds: readonly DamageKind[]): readonly number[] => [
    ...new Set(damage.filter(({ kind }) => kinds.includes(kind)).map(({ line }) => line)),
  ];
  const header = of("damaged-header", "no-header");
  const torn = of(...crashDamageKinds);
  const missing = of("lost-entry", "missing-parent", "parent-cycle", "missing-first-kept");
  const changed = of("damaged-trailer");
  const named = new Set([...header, ...torn, ...missing, ...changed]);
  const unreadable = [...new Set(damage.map(({ line }) => line))].filter((line) => !named.has(line));
  return [
    ...(header.length > 0 ? ["its header cannot be read (line 1)"] : []),
    ...(unreadable.length > 0
      ? [`${counted(unreadable.length, "line")} cannot be read (${linesTold(unreadable)})`]
      : []),
    ...(missing.length > 0 ? [`${counted(missing.length, "entry", "entries")} missing (${linesTold(missing)})`] : []),
    ...(torn.length > 0 ? [`${counted(torn.length, "line")} at its end cut off (${linesTold(torn)})`] : []),
    ...(changed.length > 0
      ? [`${counted(changed.length, "line")} changed at the end, the content still whole (${linesTold(changed)})`]
      : []),
  ];
}

function lostEntries(gaps: readonly GapEntry[]): string {
  const names = gaps.slice(0, MOST_LINES).map(({ number, id }) => (number === undefined ? id : `#${number}`));
  return `${counted(gaps.length, "entry", "entries")} missing (${names.join(", ")}${more(gaps.length)})`;
}

function linesTold(lines: readonly number[]): string {
  return `line${lines.length === 1 ? "" : "s"} ${lines.slice(0, MOST_LINES).join(", ")}${more(lines.length)}`;
}

function more(count: number): string {
  return count > MOST_LINES ? ` and ${count - MOST_LINES} more` : "";
}

function joined(clauses: readonly string[]): string {
  return clauses.length < 2 ? clauses.join("") : `${clauses.slice(0, -1).join(", ")} and ${clauses.at(-1)}`;
}

const MOST_LINES = 5;
const MOST_DETAILS = 20;
