/** Defines the data that the footer shows, and collects it from the open session. */

import { homedir } from "node:os";
import type { PermissionMode } from "@pith/agent";
import type { Model } from "@pith/context";
import type { Ready } from "../../../app/start.ts";
import type { MeterParts } from "../../../context-report/meter.ts";

/** What is found out beside: it takes a look at the disk, or at the whole context. */
export type SlowFacts = Pick<Facts, "gitBranch" | "sessionName" | "place" | "cost" | "meter">;

export const nothingFound: SlowFacts = { gitBranch: null, sessionName: null, place: null, cost: null, meter: null };

export function factsOf({ built, place }: Ready, found: SlowFacts = nothingFound): Facts {
  const { agent, permissions, tools } = built;
  const bash = tools.find(({ name }) => name === "bash")?.intent?.({ command: "true" });
  const { gitBranch, sessionName, place: inTree, cost, meter } = found;
  return {
    model: spokenBy(agent.model),
    thinking: agent.thinkingLevel,
    folder: fromHome(place.cwd),
    isSandboxed: bash?.type === "command" && bash.isConfined,
    mode: permissions.mode,
    ...{ gitBranch, sessionName, place: inTree, cost, meter },
  };
}

/** Where nobody can speak and nobody ever did, that is said. */
function spokenBy({ api, provider, model }: Model): string {
  return api === "none" && provider === "none" ? "no model yet" : `${provider}/${model}`;
}

function fromHome(folder: string): string {
  const home = homedir();
  const isWithin = home.length > 1 && (folder === home || folder.startsWith(`${home}/`));
  return isWithin ? `~${folder.slice(home.length)}` : folder;
}

export interface Facts {
  readonly model: string;
  readonly thinking: string;
  /** The folder, with `~` for the user's home. */
  readonly folder: string;
  /** Of the version control system. */
  readonly gitBranch: string | null;
  readonly sessionName: string | null;
  /** How many branches the session has, and whether one stands at the end of one of them; null where there is but one. */
  readonly place: string | null;
  /** Of the whole session; null until it is counted. */
  readonly cost: number | null;
  /** Null until it is known, as is the mode: nothing is told that may be wrong. */
  readonly isSandboxed: boolean | null;
  readonly mode: PermissionMode | null;
  readonly meter: Meter | null;
}

/** How full the context is, by the one estimator. */
export interface Meter {
  readonly tokens: number;
  /** Whether no reply has measured any of it; then the figures have a `~`. */
  readonly isEstimate: boolean;
  readonly contextWindow: number;
  /** More than this is compacted; null in a window nobody knows. */
  readonly limit: number | null;
  readonly soft: number | null;
  readonly isAutomatic: boolean;
  /** Why nothing would happen by itself although it is too much; null where it would, or need not. */
  readonly held: "off" | "undone" | "breaker" | null;
  /** In tokens: what stays first and cached, what is kept as it was said, what came since. */
  readonly parts: MeterParts;
}
