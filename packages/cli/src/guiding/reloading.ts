/** What was read at the start and can be read anew: settings, texts, skills. What the model was told stays; what differs is said behind it. */

import type { Agent, Beginning } from "@pith/agent";
import type { Environment } from "@pith/models";
import type { Sources } from "../home/choose.ts";
import type { Choices, Settings } from "../home/settings.ts";
import type { TrustedFolder } from "../home/trust/trusted-folder.ts";
import { whatHolds } from "../home/what-holds.ts";
import { type Guidance, type GuidancePlaces, readGuidance, readsOf } from "./guidance.ts";
import { guidanceChanges } from "./guidance-changes.ts";

/** As it is at this moment. */
export interface Standing {
  choices: Settings;
  trusted: TrustedFolder;
  guidance: Guidance;
  /** Who said what is set; absent before anything was read anew. */
  sources?: Sources;
}

export interface ReloadParts extends Pick<GuidancePlaces, "cwd" | "home" | "userHome" | "mayRead"> {
  readonly agent: Pick<Agent, "setBeginning">;
  readonly environment: Environment;
  /** What the command line says, which still holds. */
  readonly flags: Choices;
  /** Whether the folder is trusted in this call, whatever was kept. */
  readonly trusts: boolean;
  readonly beginning: (guidance: Guidance) => Beginning;
}

/** A line for each thing that has changed. A mistake in a file changes nothing. */
export async function reload(standing: Standing, parts: ReloadParts): Promise<readonly string[]> {
  const { choices: before, guidance: told } = standing;
  const holds = await whatHolds({ choices: parts.flags, trusts: parts.trusts }, parts);
  if (holds.type === "mistake") return [`nothing was changed: ${holds.message}`];
  const { choices, trusted, sources } = holds;
  const guidance = await readGuidance({ ...parts, trusted, reads: readsOf(choices) });
  Object.assign(standing, { choices, trusted, guidance, sources });
  parts.agent.setBeginning(parts.beginning(guidance));
  return [...settingChanges(before, choices), ...guidanceChanges(told, guidance), ...holds.notes, ...guidance.notes];
}

function settingChanges(before: Settings, now: Settings): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])] as (keyof Settings)[];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))
    .map((name) => `the setting ${name} has changed${AT_ONCE[name] ?? LATER}`);
}

const LATER = "; it counts when Pith is started again";
const AT_ONCE: Readonly<Partial<Record<keyof Settings, string>>> = {
  contextFiles: "",
  notify: "",
  skills: "",
  compaction: "; its amounts count at once, the rest when Pith is started again",
};
