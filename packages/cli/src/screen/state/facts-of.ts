/** The footer's figures, from the parts of the program; what must be looked for, from what was known before. */

import { homedir } from "node:os";
import type { Model } from "@pith/context";
import type { Ready } from "../../working/readied.ts";
import type { Facts } from "./facts.ts";

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
