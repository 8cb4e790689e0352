/** Which tools a few words mean, the best first. */

import type { OfferedTool } from "../pins/pin.ts";

export interface ServerTool {
  readonly server: string;
  readonly tool: OfferedTool;
}

/** Without words, all of them as they are. */
export function searched(all: readonly ServerTool[], query: string): readonly ServerTool[] {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return all;
  return all
    .map((each) => ({ each, points: pointsOf(each, words) }))
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .map(({ each }) => each);
}

function pointsOf({ server, tool }: ServerTool, words: readonly string[]): number {
  const name = `${server}/${tool.name}`.toLowerCase();
  const says = `${tool.title ?? ""} ${tool.description ?? ""}`.slice(0, LONGEST).toLowerCase();
  const points = words.map((word) => (name.includes(word) ? 3 : 0) + (says.includes(word) ? 1 : 0));
  return points.reduce((sum, each) => sum + each, 0);
}

const LONGEST = 2_000;
