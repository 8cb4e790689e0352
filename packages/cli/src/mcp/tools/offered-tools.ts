/** The tools of a server that can be called: those with a plain name that is theirs alone. */

import type { OfferedTool } from "../pins/pin.ts";

export interface Callable {
  readonly tools: readonly OfferedTool[];
  /** How many are left out. */
  readonly refused: number;
}

export function callable(offered: readonly OfferedTool[]): Callable {
  const names = Map.groupBy(offered, ({ name }) => name.toLowerCase());
  const tools = offered.filter(({ name }) => NAME.test(name) && names.get(name.toLowerCase())?.length === 1);
  return { tools, refused: offered.length - tools.length };
}

const NAME = /^(?=.{1,128}$)[\w.-]+(?:\/[\w.-]+)*$/;
