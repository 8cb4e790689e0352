/** What a mode says of an act where no rule speaks: one row for each matter, and the strictest row counts. */

import { type Changed, changed, type LookedAt, lookedAt } from "./places.ts";
import type { Ground, Sight } from "./sight.ts";

/** Ask about all that changes; edit freely in the workspace; only look; do everything. */
export type Mode = "ask" | "edit" | "plan" | "all";

export type Stance = "allowed" | "asked" | "refused";

/** Free: where there is no sandbox. Outside: where there is one, and it is left. */
type Command = "command-confined" | "command-free" | "command-outside";

export type Matter = LookedAt | Changed | Command | "fetch" | "nothing" | "unknown";

const yes = "allowed";
const ask = "asked";
const no = "refused";

// biome-ignore format: it is a table.
const table: Readonly<Record<Matter, Readonly<Record<Mode, Stance>>>> = {
  "look":             { ask: yes, edit: yes, plan: yes, all: yes },
  "look-secret":      { ask: ask, edit: ask, plan: ask, all: ask },
  "look-keys":        { ask: no,  edit: no,  plan: no,  all: no  },
  "change-inside":    { ask: ask, edit: yes, plan: no,  all: yes },
  "change-protected": { ask: ask, edit: ask, plan: no,  all: yes },
  "change-outside":   { ask: ask, edit: ask, plan: no,  all: yes },
  "change-own":       { ask: no,  edit: no,  plan: no,  all: no  },
  "command-confined": { ask: ask, edit: yes, plan: yes, all: yes },
  "command-free":     { ask: ask, edit: ask, plan: no,  all: yes },
  "command-outside":  { ask: ask, edit: ask, plan: no,  all: yes },
  "fetch":            { ask: ask, edit: yes, plan: yes, all: yes },
  "nothing":          { ask: yes, edit: yes, plan: yes, all: yes },
  "unknown":          { ask: ask, edit: ask, plan: no,  all: yes },
};

/** The matter that counts, and how the mode stands to it. */
export interface Standpoint {
  readonly matter: Matter;
  readonly stance: Stance;
}

export function standpoint(
  sight: Sight,
  { mode, ground }: { readonly mode: Mode; readonly ground: Ground },
): Standpoint {
  const matters = mattersOf(sight, ground);
  const stances = matters.map((matter) => stanceOn(matter, mode));
  const stance = (["refused", "asked"] as const).find((strict) => stances.includes(strict)) ?? "allowed";
  const strictest = matters.filter((_, at) => stances[at] === stance);
  return { stance, matter: strictest.find(isDelicate) ?? strictest[0] ?? "nothing" };
}

export function stanceOn(matter: Matter, mode: Mode): Stance {
  return table[matter][mode];
}

/** To let it pass, a rule must name the place: whoever allows all of a tool did not think of these. */
export function isDelicate(matter: Matter): boolean {
  return matter === "look-secret" || matter === "change-protected" || matter === "change-outside";
}

function mattersOf({ act: { intent }, reached }: Sight, ground: Ground): readonly Matter[] {
  switch (intent?.type) {
    case "look":
      return reached.length === 0 ? ["look"] : reached.map((each) => lookedAt(each, ground));
    case "change":
      // Whoever changes something and does not say what may change anything.
      return reached.length === 0 ? ["unknown"] : reached.map((each) => changed(each, ground));
    case "command":
      if (intent.isOutside) return ["command-outside"];
      return [intent.isConfined ? "command-confined" : "command-free"];
    case "fetch":
    case "nothing":
      return [intent.type];
    case "named":
    case undefined:
      return ["unknown"];
  }
}
