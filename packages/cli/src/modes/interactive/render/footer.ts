/** Draws the footer: model, folder, mode, cost and context meter, in one line where there is room, else in two. */

import { costTold } from "../../../text/format.ts";
import { clipped, plain } from "../../../text/safe-text.ts";
import type { Facts } from "../state/footer.ts";
import { truncateToWidth, visibleWidth } from "../terminal/pi-tui.ts";
import { barRoom, meterLine } from "./context-meter.ts";
import type { Brush, Theme } from "./theme.ts";

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

type Look = Pick<Brush, "width" | "theme">;

export function footer(facts: Facts, look: Look): readonly string[] {
  return inOneLine(facts, look) ?? inTwoLines(facts, look);
}

/** Only where nothing must be left out, and what the signs of the bar mean stands beside it. */
function inOneLine(facts: Facts, { width, theme }: Look): readonly string[] | null {
  const full = facts.meter ? meterLine(facts.meter, { width: ENDLESS, theme }) : "";
  const right = [full, wayOf(facts, theme)].filter((text) => text !== "").join(GAP);
  const left = whoAndWhere(facts, { room: width - visibleWidth(right) - GAP.length, isWhole: true });
  return left === null ? null : [spread(theme.dim(left), right, width)];
}

/** How full it is stands beside the way, unless its bar would become too short. */
function inTwoLines(facts: Facts, { width, theme }: Look): readonly string[] {
  const way = wayOf(facts, theme);
  const room = width - visibleWidth(way) - GAP.length;
  const left = (most: number): string =>
    theme.dim(whoAndWhere(facts, { room: Math.max(0, most), isWhole: false }) ?? "");
  const { meter } = facts;
  if (!meter) return room < 0 ? [left(width), truncateToWidth(way, width, "…")] : [spread(left(room), way, width)];
  const fewest = meter.limit === null ? -GAP.length : NARROWEST;
  if (barRoom(meter, { width: room, theme }) >= fewest)
    return [left(width), spread(meterLine(meter, { width: room, theme }), way, width)];
  return [spread(left(room), way, width), truncateToWidth(meterLine(meter, { width, theme }), width, "…")];
}

const GAP = "  ";
const ENDLESS = 1_000;
/** Cells of a bar beside something else. */
const NARROWEST = 14;

/** What is permitted, whether commands are confined, and what all of it has cost; of what is not known yet, nothing. */
function wayOf({ mode, isSandboxed, cost }: Facts, theme: Theme): string {
  const named = mode === "all" ? theme.warning(theme.strong("ALL permitted")) : theme.dim(`${plain(mode ?? "")} mode`);
  const box = isSandboxed ? theme.dim("sandbox") : theme.warning("no sandbox");
  return [mode && named, isSandboxed === null ? null : box, cost === null ? null : theme.dim(costTold(cost))]
    .filter((part) => part !== null)
    .join(theme.dim(" · "));
}

function spread(left: string, right: string, width: number): string {
  const gap = width - visibleWidth(left) - visibleWidth(right);
  return gap < 1 ? truncateToWidth(`${left} ${right}`, width) : `${left}${" ".repeat(gap)}${right}`;
}
