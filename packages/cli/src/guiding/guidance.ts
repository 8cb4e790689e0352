/** What a model is told before the first word besides who it is: the texts of the project, and which skills there are. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ProjectText, Skill } from "@pith/agent";
import type { Settings } from "../home/settings.ts";
import type { TrustedFolder } from "../home/trust/trusted-folder.ts";
import { projectTexts, type TextPlaces } from "../prompting/project-texts.ts";
import type { FoundSkill } from "../prompting/skills/skill-in.ts";

export interface Guidance {
  readonly project: readonly ProjectText[];
  /** What the model is told of them. */
  readonly catalogue: readonly Skill[];
  readonly skills: readonly FoundSkill[];
  /** For people: what was not read, or not whole. */
  readonly notes: readonly string[];
}

export interface GuidancePlaces extends TextPlaces {
  readonly trusted: TrustedFolder;
  readonly reads: { readonly contextFiles: boolean; readonly skills: boolean };
  readonly more?: MoreFolders;
}

/** Beside the user's own. */
export interface MoreFolders {
  readonly skills: readonly string[];
  readonly prompts: readonly string[];
}

export async function readGuidance(places: GuidancePlaces): Promise<Guidance> {
  const { contextFiles, skills: wantsSkills } = places.reads;
  const { texts, notes } = contextFiles ? await projectTexts(places) : NO_TEXTS;
  const found = wantsSkills && haveSkills(places) ? await findSkills(places) : NO_SKILLS;
  return { ...found, project: texts, notes: [...notes, ...found.notes] };
}

export function readsOf({ contextFiles, skills }: Settings): GuidancePlaces["reads"] {
  return { contextFiles: contextFiles !== false, skills: skills !== false };
}

const NO_TEXTS = { texts: [], notes: [] } as const;
const NO_SKILLS = { catalogue: [], skills: [], notes: [] } as const;

/** All that reads skills is loaded where there are some. */
async function findSkills(places: GuidancePlaces): Promise<Omit<Guidance, "project">> {
  const [finding, bounding] = await Promise.all([
    import("../prompting/skills/find-skills.ts"),
    import("../prompting/skills/bounded-skills.ts"),
  ]);
  const { skills, notes } = await finding.findSkills({ ...places, more: places.more?.skills ?? [] });
  const bounded = bounding.boundedSkills(skills);
  return { skills, catalogue: bounded.skills, notes: [...notes, ...bounded.notes] };
}

function haveSkills({ home, userHome, trusted, more }: GuidancePlaces): boolean {
  if (
    [...(more?.skills ?? []), join(home, "skills"), join(userHome, ".agents", "skills")].some((folder) =>
      existsSync(folder),
    )
  )
    return true;
  return trusted.type === "trusted" && trusted.holds.files.some(({ kind }) => kind === "skills");
}
