/** Who speaks and where one stands, in as many words as there is room for. Pure. */

import { truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { clipped } from "../../printing/clipped.ts";
import { plain } from "../../printing/plain.ts";
import type { Facts } from "../state/facts.ts";

export interface Room {
  readonly room: number;
  /** Null rather than anything left out. */
  readonly isWhole: boolean;
}

export function whoAndWhere(facts: Facts, { room, isWhole }: Room): string | null {
  const ways = isWhole ? wholes : shorter;
  const fitting = ways.map((way) => way(facts)).find((words) => visibleWidth(words) <= room);
  if (fitting !== undefined) return fitting;
  return isWhole ? null : truncateToWidth(shortest(facts), room, "…");
}

type Way = (facts: Facts) => string;

/** Who serves it is the first to go, then words that only explain, then the folders above this one, then the rest of a long name; who speaks and on which branch stay to the last. */
const wholes: readonly Way[] = [
  (facts) => told(facts, "full"),
  (facts) => told({ ...facts, model: withoutProvider(facts.model) }, "full"),
];

const shorter: readonly Way[] = [
  ...wholes,
  (facts) => told({ ...facts, model: withoutProvider(facts.model) }, "brief"),
  (facts) => told({ ...facts, model: withoutProvider(facts.model), folder: lastOf(facts.folder) }, "brief"),
  (facts) => clippedIn(facts),
  (facts) => clippedIn({ ...facts, sessionName: null, place: null }),
  (facts) => shortest(facts),
];

function shortest(facts: Facts): string {
  return clippedIn({ ...facts, thinking: "", folder: "", sessionName: null, place: null });
}

function clippedIn(facts: Facts): string {
  const { model, folder, gitBranch, sessionName } = facts;
  const names = {
    gitBranch: gitBranch && clipped(gitBranch, SHORT),
    sessionName: sessionName && clipped(sessionName, SHORT),
  };
  return told({ ...facts, ...names, model: withoutProvider(model), folder: lastOf(folder) }, "brief");
}

const SHORT = 20;

function told({ model, thinking, folder, gitBranch, sessionName, place }: Facts, words: "full" | "brief"): string {
  const isFull = words === "full";
  const depth = isFull ? ` · thinking ${thinking}` : ` (${thinking})`;
  const parts = [
    thinking === "" || thinking === "off" ? model : `${model}${depth}`,
    gitBranch === null ? folder : `${folder} on ${gitBranch}`.trim(),
    sessionName === null || sessionName.trim() === "" ? "" : `"${sessionName.trim()}"`,
    place === null || !isFull ? (place ?? "") : `${place} in /tree`,
  ];
  // A line end in a name would break the line.
  return plain(
    parts
      .filter((part) => part.trim() !== "")
      .join(" · ")
      .replaceAll(/\s+/g, " "),
  );
}

function withoutProvider(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

function lastOf(folder: string): string {
  const parts = folder.split(/[\\/]/).filter((part) => part !== "");
  return parts.length <= 1 ? folder : `…/${parts.at(-1)}`;
}
