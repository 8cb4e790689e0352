/** What fills a context, as rows of one kind: by kind, by tool, by file, by entry. Pure. */

import { freed } from "../../../../commands/fitting/breakdown-text.ts";
import type { ContextReport } from "../../../../commands/fitting/context-report.ts";
import { counted } from "../../../../printing/amounts.ts";

export interface Row {
  readonly name: string;
  readonly tokens: number;
  /** More of it, for the row one stands on. */
  readonly says: string;
  /** The entry it stands for. */
  readonly id?: string;
}

export const tabs = ["kind", "tool", "file", "entry"] as const;

export type Tab = (typeof tabs)[number];

export function rowsOf(report: ContextReport, tab: Tab): readonly Row[] {
  switch (tab) {
    case "kind":
      return report.parts.map(({ place, kind, tokens }) => ({ name: kind, tokens, says: places[place] }));
    case "tool":
      return report.tools.map(({ tool, results, tokens }) => ({
        name: tool,
        tokens,
        says: counted(results, "result"),
      }));
    case "file":
      return report.files.map(({ path, results, tokens }) => ({
        name: path,
        tokens,
        says: counted(results, "result"),
      }));
    case "entry":
      return report.biggest.map(({ id, kind, words, tokens, frees }) => ({
        ...{ id, tokens, name: `${kind}: ${words}`, says: freed(frees) },
      }));
  }
}

const places = {
  system: "stands first, and is sent with every request",
  front: "kept by compactions, before all that was said since",
  tail: "as it was said; a compaction tells the older part of it in short",
} as const;
