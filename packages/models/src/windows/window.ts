/** How many tokens a model really sees: the smallest of what the user set, the server serves and experience taught. */

import type { Served } from "./served/served.ts";

export interface WindowParts {
  readonly setting?: number | undefined;
  readonly served?: Pick<Served, "window" | "source"> | null | undefined;
  readonly learnt?: number | undefined;
  /** The catalogue's figure, for when nobody who knows better has spoken. */
  readonly known: number;
  /** Whether even the catalogue has only a default for it. */
  readonly isUnheardOf?: boolean | undefined;
}

export interface ContextWindow {
  readonly tokens: number;
  /** Whose figure it is. */
  readonly because: "setting" | "served" | "learnt" | "assumed" | "known";
}

export function contextWindow({ setting, served, learnt, known, isUnheardOf }: WindowParts): ContextWindow {
  const assumed = served?.source === "assumed";
  const said: ContextWindow[] = [
    ...figure("setting", setting),
    ...figure("served", assumed ? undefined : served?.window),
    ...figure("learnt", learnt),
  ];
  const [smallest] = said.sort((one, other) => one.tokens - other.tokens);
  // Neither an assumption nor a list of models may overrule a person or a server, in either direction.
  const [guess] = figure("assumed", assumed ? served?.window : undefined);
  return smallest ?? guess ?? { tokens: known, because: isUnheardOf ? "assumed" : "known" };
}

function figure(because: ContextWindow["because"], tokens: number | undefined): ContextWindow[] {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0 ? [{ tokens, because }] : [];
}
