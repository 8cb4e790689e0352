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

/** Who serves it is the first to go, then the folders above this one, then the rest of a long name. */
const wholes: readonly Way[] = [
  (facts) => told(facts),
  (facts) => told({ ...facts, model: withoutProvider(facts.model) }),
];

const shorter: readonly Way[] = [
  ...wholes,
  (facts) => told({ ...facts, model: withoutProvider(facts.model), folder: lastOf(facts.folder) }),
  (facts) => shortest(facts),
];

function shortest(facts: Facts): string {
  const { model, folder, gitBranch, sessionName } = facts;
  return told({
    ...facts,
    model: withoutProvider(model),
    folder: lastOf(folder),
    gitBranch: gitBranch && clipped(gitBranch, SHORT),
    sessionName: sessionName && clipped(sessionName, SHORT),
  });
}

const SHORT = 20;

function told({ model, thinking, folder, gitBranch, sessionName, place }: Facts): string {
  const who = thinking === "" || thinking === "off" ? model : `${model} (${thinking})`;
  const where = gitBranch === null ? folder : `${folder} (${gitBranch})`;
  const parts = [who, where, sessionName ?? "", place ?? ""];
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
