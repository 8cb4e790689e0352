/** Whether any page may be opened without a question: then a provider may search the web by itself, where nobody could permit one page and refuse another. */

import type { Standing } from "./decide.ts";
import { stanceOn } from "./table.ts";

export function fetchesFreely({ mode, rules }: Pick<Standing, "mode" | "rules">): boolean {
  if ([...rules.deny, ...rules.ask].some(({ tool }) => tool === "fetch")) return false;
  const isAllowed = rules.allow.some(({ tool, pattern }) => tool === "fetch" && pattern === null);
  return isAllowed || stanceOn("fetch", mode) === "allowed";
}
