/** What an extension registers, for people: all that it can do in a session, before anybody says yes to it. */

import type { LoadedExtension } from "@pith/agent";

export interface Capabilities extends LoadedExtension {
  /** Why something of it does not count. */
  readonly notes: readonly string[];
}

/** A line for each kind of thing; none for what it has not got. */
export function capabilityLines({
  tools,
  commands,
  states,
  rules,
  events,
  writes,
  notes,
}: Capabilities): readonly string[] {
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ["tools", tools],
    ["commands", commands.map((name) => `/${name}`)],
    ["states", states],
    ["rules", rules],
    ["writes", writes ? ["summaries"] : []],
    ["hears", events],
    ["but", notes],
  ];
  const shown = lines.filter(([, names]) => names.length > 0).map(([kind, names]) => `  ${kind}: ${names.join(", ")}`);
  return shown.length === 0 ? ["  registers nothing"] : shown;
}

/** Of what was assembled alone. */
export const NONE: Omit<Capabilities, "name" | "notes"> = {
  events: [],
  tools: [],
  commands: [],
  states: [],
  rules: [],
  writes: false,
};
