/** Describes the damage found in a session when it was opened: as an event for the user, and as a note for the model. */

import type { AgentEvent } from "@pith/agent";
import type { GapEntry } from "@pith/context";
import { TORN_END_NOTE } from "@pith/context/host";
import { crashDamageKinds, type Damage, harmlessDamageKinds } from "@pith/context/store";
import type { HostContext } from "@pith/host/host-context";
import { formatCount } from "@pith/host/text/format";
import { formatSessionArgument } from "../sessions/find-session.ts";

type DamageKind = Damage["kind"];

export type SessionDamagedEvent = Extract<AgentEvent, { type: "session_damaged" }>;

export interface SessionDamage extends Pick<HostContext, "home"> {
  readonly damage: readonly Damage[];
  /** Gaps on the branch, including gaps from lines that were lost before the file was rewritten. */
  readonly gaps: readonly GapEntry[];
  /** The session's id. */
  readonly id: string;
  readonly path: string;
}

/** Null if every entry is present and unchanged. */
export function describeDamage({ damage, gaps, id, path, home }: SessionDamage): SessionDamagedEvent | null {
  const reportedDamage = omitConsequences(damage.filter(({ kind }) => !harmlessDamageKinds.has(kind)));
  const clauses =
    reportedDamage.length > 0 ? describeDamageKinds(reportedDamage) : gaps.length > 0 ? [describeGaps(gaps)] : [];
  if (clauses.length === 0) return null;
  const message = `This session is damaged: ${joinClauses(clauses)}. Nothing was deleted, and the rest of the session is used. The model is told where messages are missing. To see the damaged lines, run: pith doctor ${formatSessionArgument({ id, path }, home)}`;
  return {
    type: "session_damaged",
    message,
    damage: reportedDamage.slice(0, MAX_DETAILS).map(({ kind, line, note }) => ({ kind, line, note })),
    count: Math.max(reportedDamage.length, gaps.length),
  };
}

/** The note that the model gets before the next message; null if the gaps on its branch already describe all the damage. */
export function describeTornEnd(damage: readonly Damage[]): string | null {
  return damage.some(({ kind }) => crashDamageKinds.has(kind)) ? TORN_END_NOTE : null;
}

/** Omits a missing parent that is caused by a lost line directly before it: this is the same damage. */
function omitConsequences(damage: readonly Damage[]): readonly Damage[] {
  const lostLines = new Set(damage.filter(({ kind }) => kind !== "missing-parent").map(({ line }) => line));
  return damage.filter(({ kind, line }) => kind !== "missing-parent" || !lostLines.has(line - 1));
}

function describeDamageKinds(damage: readonly Damage[]): readonly string[] {
  const findLines = (...kinds: readonly DamageKind[]): readonly number[] => [
    ...new Set(damage.filter(({ kind }) => kinds.includes(kind)).map(({ line }) => line)),
  ];
  const headerLines = findLines("damaged-header", "no-header");
  const tornLines = findLines(...crashDamageKinds);
  const missingLines = findLines("lost-entry", "missing-parent", "parent-cycle", "missing-first-kept");
  const changedLines = findLines("damaged-trailer");
  const describedLines = new Set([...headerLines, ...tornLines, ...missingLines, ...changedLines]);
  const unreadableLines = [...new Set(damage.map(({ line }) => line))].filter((line) => !describedLines.has(line));
  return [
    ...(headerLines.length > 0 ? ["its header cannot be read (line 1)"] : []),
    ...(unreadableLines.length > 0
      ? [`${formatCount(unreadableLines.length, "line")} cannot be read (${formatLineNumbers(unreadableLines)})`]
      : []),
    ...(missingLines.length > 0
      ? [`${formatCount(missingLines.length, "entry", "entries")} missing (${formatLineNumbers(missingLines)})`]
      : []),
    ...(tornLines.length > 0
      ? [`${formatCount(tornLines.length, "line")} at the end cut off (${formatLineNumbers(tornLines)})`]
      : []),
    ...(changedLines.length > 0
      ? [
          `the checksum of ${formatCount(changedLines.length, "line")} does not match, but the content is readable (${formatLineNumbers(changedLines)})`,
        ]
      : []),
  ];
}

function describeGaps(gaps: readonly GapEntry[]): string {
  const names = gaps.slice(0, MAX_LISTED_LINES).map(({ number, id }) => (number === undefined ? id : `#${number}`));
  return `${formatCount(gaps.length, "entry", "entries")} missing (${names.join(", ")}${formatRemaining(gaps.length)})`;
}

function formatLineNumbers(lines: readonly number[]): string {
  return `line${lines.length === 1 ? "" : "s"} ${lines.slice(0, MAX_LISTED_LINES).join(", ")}${formatRemaining(lines.length)}`;
}

function formatRemaining(count: number): string {
  return count > MAX_LISTED_LINES ? ` and ${count - MAX_LISTED_LINES} more` : "";
}

function joinClauses(clauses: readonly string[]): string {
  return clauses.length < 2 ? clauses.join("") : `${clauses.slice(0, -1).join(", ")} and ${clauses.at(-1)}`;
}

const MAX_LISTED_LINES = 5;
const MAX_DETAILS = 20;
