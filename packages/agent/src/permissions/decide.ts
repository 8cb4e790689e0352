/** Decides whether a request is allowed, asked about or refused, by mode and rules. Only the user sets these, never the model's text. */

import type { CommandIntent } from "../tool.ts";
import { nearest } from "./match-command.ts";
import { couldFit, type Fitting, isSurelyFitted, reachesOnly } from "./match-rules.ts";
import { type Changed, changed, type LookedAt, lookedAt } from "./protected-paths.ts";
import { actsOnRemote } from "./remote-commands.ts";
import type { Act, Ground, Sight } from "./request.ts";
import type { Rule } from "./rules.ts";

/** Ask about all that changes; edit freely in the workspace; only look; do everything. */
export type Mode = "ask" | "edit" | "plan" | "all";

export type Stance = "allowed" | "asked" | "refused";

/** Free: where there is no sandbox. Outside: where there is one, and it is left. Remote: it acts on what others see, such as `git push`. */
type Command = "command-confined" | "command-free" | "command-outside" | "command-remote" | "command-secret";

/** Package: a host of the user's own package managers. */
type Network = "fetch" | "network" | "network-package" | "port-host" | "port-publish";

export type Matter = LookedAt | Changed | Command | Network | "nothing" | "unknown";

const yes = "allowed";
const ask = "asked";
const no = "refused";

// biome-ignore format: it is a table.
const table: Readonly<Record<Matter, Readonly<Record<Mode, Stance>>>> = {
  "look":             { ask: yes, edit: yes, plan: yes, all: yes },
  "look-secret":      { ask: ask, edit: ask, plan: ask, all: ask },
  "look-keys":        { ask: no,  edit: no,  plan: no,  all: no  },
  "change-inside":    { ask: ask, edit: yes, plan: no,  all: yes },
  "change-protected": { ask: ask, edit: ask, plan: no,  all: ask },
  "change-outside":   { ask: ask, edit: ask, plan: no,  all: ask },
  "change-own":       { ask: no,  edit: no,  plan: no,  all: no  },
  "command-confined": { ask: ask, edit: yes, plan: yes, all: yes },
  "command-free":     { ask: ask, edit: ask, plan: no,  all: yes },
  "command-outside":  { ask: ask, edit: ask, plan: no,  all: ask },
  "command-remote":   { ask: ask, edit: ask, plan: no,  all: yes },
  "command-secret":   { ask: ask, edit: ask, plan: no,  all: ask },
  "fetch":            { ask: ask, edit: ask, plan: ask, all: ask },
  "network":          { ask: ask, edit: ask, plan: no,  all: ask },
  "network-package":  { ask: ask, edit: yes, plan: no,  all: yes },
  "port-host":        { ask: ask, edit: ask, plan: no,  all: ask },
  "port-publish":     { ask: ask, edit: ask, plan: no,  all: ask },
  "nothing":          { ask: yes, edit: yes, plan: yes, all: yes },
  "unknown":          { ask: ask, edit: ask, plan: no,  all: yes },
};

/** The matter that counts, and how the mode stands to it. */
export interface Standpoint {
  readonly matter: Matter;
  readonly stance: Stance;
}

/** What the mode says where no rule matches: the strictest row of the table wins. */
export function standpoint(
  sight: Sight,
  { mode, ground }: { readonly mode: Mode; readonly ground: Ground },
): Standpoint {
  const matters = mattersOf(sight, ground);
  const stances = matters.map((matter) => stanceOn(matter, { mode, ground }));
  const stance = (["refused", "asked"] as const).find((strict) => stances.includes(strict)) ?? "allowed";
  const strictest = matters.filter((_, at) => stances[at] === stance);
  return { stance, matter: strictest.find(isDelicate) ?? strictest[0] ?? "nothing" };
}

function stanceOn(matter: Matter, { mode, ground }: Pick<Standing, "mode" | "ground">): Stance {
  if (mode === "all" && !ground.hasSandbox && AS_FREE_AS_COMMANDS.has(matter)) return "allowed";
  return table[matter][mode];
}

/** In mode `all` without a sandbox commands could do each of these unasked. With one, a file that others run is a way out of it. */
const AS_FREE_AS_COMMANDS: ReadonlySet<Matter> = new Set<Matter>(["change-protected", "change-outside", "fetch"]);

/** To let it pass, a rule must name the place: whoever allows all of a tool did not think of these. */
export function isDelicate(matter: Matter): boolean {
  return DELICATE.has(matter);
}

const DELICATE: ReadonlySet<Matter> = new Set<Matter>([
  ...(["look-secret", "change-protected", "change-outside", "command-remote", "port-host", "port-publish"] as const),
]);

function mattersOf({ act: { intent }, reached }: Sight, ground: Ground): readonly Matter[] {
  switch (intent?.type) {
    case "look":
      return reached.length === 0 ? ["look"] : reached.map((each) => lookedAt(each, ground));
    case "change":
      // Whoever changes something and does not say what may change anything.
      return reached.length === 0 ? ["unknown"] : reached.map((each) => changed(each, ground));
    case "command":
      return commandMatters(intent);
    case "network":
      return [intent.isPackageHost ? "network-package" : "network"];
    case "port":
      return [intent.direction === "host" ? "port-host" : "port-publish"];
    case "fetch":
    case "nothing":
      return [intent.type];
    case "named":
    case undefined:
      return ["unknown"];
  }
}

/** What a question should mention comes first. */
function commandMatters({ command, isConfined, isOutside, secrets = [] }: CommandIntent): readonly Matter[] {
  return [
    ...(secrets.length > 0 ? (["command-secret"] as const) : []),
    ...(isOutside ? (["command-outside"] as const) : []),
    ...(actsOnRemote(command) ? (["command-remote"] as const) : []),
    ...(isOutside ? [] : ([isConfined ? "command-confined" : "command-free"] as const)),
  ];
}

/** What holds: set by the user alone. */
export interface Standing {
  readonly mode: Mode;
  readonly rules: Rules;
  readonly ground: Ground;
  readonly limits?: Limits | undefined;
}

/** What nobody goes beyond, whatever the user says: set by whoever is responsible for the machine. */
export interface Limits {
  /** Who set them, as part of a sentence. */
  readonly source: string;
  /** The modes that there are. */
  readonly modes?: readonly Mode[];
  /** Rules on the network: the only hosts and ports that are reached. */
  readonly hosts?: readonly Rule[];
}

/** Deny wins over ask, ask over allow. */
export interface Rules {
  readonly allow: readonly Rule[];
  readonly ask: readonly Rule[];
  readonly deny: readonly Rule[];
}

export type Decision =
  | { readonly type: "allowed" }
  | { readonly type: "refused"; readonly why: string }
  | { readonly type: "asked"; readonly matter: Matter; readonly because: Because };

/** Only what the mode asks for can be answered for the future by a rule. */
export type Because = "mode" | "again" | "rule" | "doubt";

export function decide(sight: Sight, { mode, rules, ground, limits }: Standing): Decision {
  const point = standpoint(sight, { mode, ground });
  if (point.stance === "refused") return { type: "refused", why: refusal(point) };
  const fitting: Fitting = { sight, ground };
  const denying = rules.deny.find((rule) => couldFit(rule, fitting) === "fits");
  if (denying) return { type: "refused", why: `not permitted: ${nameRule(denying, limits)} denies it` };
  if (limits?.hosts && !reachesOnly(limits.hosts, sight))
    return { type: "refused", why: `not permitted: the host is not one that ${limits.source} allows` };
  const because = cause(sight.act, { rules, fitting });
  if (because !== null) return { type: "asked", matter: point.matter, because };
  const allowing = isDelicate(point.matter) ? rules.allow.filter(({ pattern }) => pattern !== null) : rules.allow;
  if (point.stance === "allowed" || isSurelyFitted(allowing, fitting)) return { type: "allowed" };
  return { type: "asked", matter: point.matter, because: "mode" };
}

function nameRule({ text, source }: Rule, limits: Limits | undefined): string {
  return source === "policy" && limits ? `the rule ${text} of ${limits.source}` : `the rule ${text}`;
}

/** Why it is asked whatever the mode. A rule that denies what this may be leaves a doubt. */
function cause(act: Act, { rules, fitting }: { readonly rules: Rules; readonly fitting: Fitting }): Because | null {
  const nearestOf = (some: readonly Rule[]) => nearest(some.map((rule) => couldFit(rule, fitting)));
  if (act.isAgain) return "again";
  if (nearestOf(rules.ask) === "fits") return "rule";
  return nearestOf([...rules.deny, ...rules.ask]) === "not" ? null : "doubt";
}

function refusal({ matter }: Standpoint): string {
  if (matter === "look-keys") return "not permitted: nobody but the program itself reads its keys";
  if (matter === "change-own") return "not permitted: these settings are changed by the user alone";
  return "not permitted in plan mode, which only looks; only the user can end it";
}
