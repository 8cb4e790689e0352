/** What pruning would do, for people and for programs; nothing is done. */

import { ageTold, amount, bytesTold, counted } from "../../../printing/amounts.ts";
import { shortId, wordsOf } from "../showing/listed.ts";
import { GRACE_DAYS, type OldTrash } from "./old-trash.ts";
import type { PruneWish } from "./prune-wish.ts";
import type { Reason, Silent, Sorted } from "./silent-sessions.ts";

export interface ReportParts extends Sorted {
  readonly trash: readonly OldTrash[];
  readonly wish: PruneWish;
  readonly now: number;
}

export function reportOf(parts: ReportParts): { readonly text: string; readonly data: unknown } {
  const { total, silent, stays, trash, wish } = parts;
  const bytes = silent.reduce((sum, { item }) => sum + item.size, 0);
  const data = {
    isDone: false,
    olderThan: wish.said,
    total,
    bytes,
    silent: silent.map(({ item, newest }) => ({ id: item.id, path: item.path, size: item.size, newest })),
    stays,
    trash: trash.map(({ id, folder, size, trashed }) => ({ id, folder, size, trashed })),
  };
  return { text: textOf(parts, bytes), data };
}

function textOf({ total, silent, stays, trash, wish, now }: ReportParts, bytes: number): string {
  const head =
    silent.length === 0
      ? `none of ${counted(total, "session")} has been silent for ${wish.said}`
      : `${counted(silent.length, "session")} of ${amount(total)} silent for ${wish.said}, ${bytesTold(bytes)}:`;
  const kept = (Object.keys(REASONS) as (keyof typeof REASONS)[]).flatMap((reason) =>
    stays[reason] > 0 ? [`${stays[reason]} ${REASONS[reason]}`] : [],
  );
  return [
    head,
    ...silent.slice(0, MOST).map((each) => lineOf(each, now)),
    ...(silent.length > MOST ? [`… ${silent.length - MOST} more; --json names all`] : []),
    ...(kept.length > 0 ? [`old, but staying: ${kept.join(", ")}`] : []),
    ...(wish.emptiesTrash ? [`${counted(trash.length, "session")} in the trash for more than ${GRACE_DAYS} days`] : []),
    ...(silent.length + trash.length > 0 ? [`nothing was done; to do it: ${commandOf(wish)}`] : []),
  ].join("\n");
}

const REASONS: Readonly<Record<Exclude<Reason, "younger">, string>> = {
  named: "named",
  labelled: "labelled",
  pinned: "with pins",
  undated: "without a time that can be read",
  damaged: "damaged",
};

function lineOf({ item, newest }: Silent, now: number): string {
  return `${shortId(item.id)}  ${ageTold(now - Date.parse(newest)).padStart(7)}  ${bytesTold(item.size).padStart(8)}  ${wordsOf(item)}`;
}

function commandOf({ said, emptiesTrash }: PruneWish): string {
  return `pith sessions prune --older-than ${said}${emptiesTrash ? " --empty-trash" : ""} --yes`;
}

const MOST = 50;
