/** Reads what guides an agent (settings, context files, skills, prompt templates), and reads it again on reload. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Agent, LimitsForModel, ProjectText, Skill, SkillFiles, SystemPromptOptions } from "@pith/agent";
import type { Environment } from "@pith/models";
import type { Wish } from "../args/args.ts";
import { type Sources, whatHolds } from "../settings/resolve.ts";
import { type Choices, type LimitsWish, limitsOf, type Settings } from "../settings/settings.ts";
import { hashOf } from "../trust/project-files.ts";
import type { TrustedFolder } from "../trust/trust.ts";
import { projectTexts, type TextPlaces } from "./context-files.ts";
import type { FoundSkill } from "./skills.ts";
import type { Templates } from "./templates.ts";

/** Only files that are skills now are looked at: what a session names may be anything. */
export function skillFiles(skills: () => readonly Pick<Skill, "path">[]): SkillFiles {
  return {
    async readHash(path) {
      if (!skills().some((skill) => skill.path === path)) return null;
      const { bytesAt } = await import("./skills.ts");
      const bytes = await bytesAt(path);
      return bytes instanceof Uint8Array ? hashOf(bytes) : null;
    },
  };
}

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
  const loaded = await import("./skills.ts");
  const { skills, notes } = await loaded.findSkills({ ...places, more: places.more?.skills ?? [] });
  const bounded = loaded.boundedSkills(skills);
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

export interface GuidedParts extends Pick<ReloadParts, "cwd" | "home" | "userHome" | "mayRead" | "environment"> {
  readonly wish: Wish;
  readonly choices: Settings;
  /** What of this folder counts; absent: nothing. */
  readonly trusted: TrustedFolder | undefined;
  /** Folders that extensions name beside the usual ones. */
  readonly more?: MoreFolders;
  /** The names of the built-in commands, which no template may have. */
  readonly commandNames: () => Promise<readonly string[]>;
  /** For people. */
  readonly note: (line: string) => void;
}

export interface Guided extends SkillFiles {
  /** As it is at this moment. */
  readonly standing: Readonly<Standing>;
  readonly limits: LimitsForModel;
  /** The name of the skill whose text lies there; null for every other file. */
  skillAt(path: string): string | null;
}

export interface Guide {
  /** What is said by its name: prompt templates and skills. */
  readonly templates: Templates;
  /** Reads all of it anew; what has changed, for people. */
  readonly reload: () => Promise<readonly string[]>;
  /** What is set at this moment. */
  readonly standing: () => Readonly<Pick<Standing, "choices" | "sources">>;
}

export async function guided(parts: GuidedParts): Promise<Guided> {
  const { choices, trusted = untrusted(parts.cwd) } = parts;
  const guidance = await readGuidance({ ...parts, trusted, reads: readsOf(choices) });
  const standing: Standing = { choices, trusted, guidance };
  return {
    standing,
    limits: (to) => limitsOf(standing.choices.compaction, limitsWish(parts.wish, standing.choices))(to),
    skillAt: (path) => standing.guidance.skills.find((skill) => skill.path === path)?.name ?? null,
    ...skillFiles(() => standing.guidance.skills),
  };
}

function limitsWish({ agent }: Wish, { branchSummary, firstTokenMinutes }: Settings): LimitsWish {
  return { branchReserve: branchSummary?.reserveTokens, firstTokenMinutes, ...(agent !== undefined && { agent }) };
}

/** Loaded when somebody asks for it: most calls name no template and reload nothing. */
export function guideOf(
  agent: Agent,
  { standing }: Guided,
  parts: GuidedParts & { readonly beginning: (guidance: Guidance) => SystemPromptOptions },
): Guide {
  const templates = once(async () => {
    const [{ templatesIn }, taken] = await Promise.all([import("./templates.ts"), parts.commandNames()]);
    const places = () => ({ home: parts.home, trusted: standing.trusted, taken, more: parts.more?.prompts ?? [] });
    return templatesIn({
      agent,
      skills: () => standing.guidance.skills,
      places,
      note: parts.note,
    });
  });
  return {
    standing: () => standing,
    templates: {
      filled: async (name, words) => (await templates()).filled(name, words),
      list: async () => (await templates()).list(),
    },
    reload: async () => {
      const { choices: flags, trusts } = parts.wish;
      return await reload(standing as Standing, { ...parts, agent, flags, trusts });
    },
  };
}

function untrusted(root: string): TrustedFolder {
  const holds = { root, folders: [], files: [], unread: [] };
  return { type: "untrusted", why: "never", holds, changes: [], notes: [] };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}

/** A line for each; none where nothing differs. */
export function guidanceChanges(before: Guidance, now: Guidance): readonly string[] {
  const texts = (guidance: Guidance): Named => new Map(guidance.project.map(({ path, text }) => [path, text]));
  const skills = (guidance: Guidance): Named =>
    new Map(guidance.skills.map(({ name, path, hash }) => [`the skill ${name}`, `${path} ${hash}`]));
  return [...differences(texts(before), texts(now)), ...differences(skills(before), skills(now))];
}

type Named = ReadonlyMap<string, string>;

function differences(before: Named, now: Named): readonly string[] {
  const added = [...now.keys()].filter((name) => !before.has(name)).map((name) => `${name} is new`);
  const gone = [...before.keys()].filter((name) => !now.has(name)).map((name) => `${name} is gone`);
  const changed = [...now].filter(([name, text]) => (before.get(name) ?? text) !== text);
  return [...added, ...gone, ...changed.map(([name]) => `${name} has changed`)];
}

/** As it is at this moment. */
export interface Standing {
  choices: Settings;
  trusted: TrustedFolder;
  guidance: Guidance;
  /** Who said what is set; absent before anything was read anew. */
  sources?: Sources;
}

export interface ReloadParts extends Pick<GuidancePlaces, "cwd" | "home" | "userHome" | "mayRead"> {
  readonly agent: Pick<Agent, "setSystemPrompt">;
  readonly environment: Environment;
  /** What the command line says, which still holds. */
  readonly flags: Choices;
  /** Whether the folder is trusted in this call, whatever was kept. */
  readonly trusts: boolean;
  readonly beginning: (guidance: Guidance) => SystemPromptOptions;
}

/** A line for each thing that has changed. A mistake in a file changes nothing. What the model was sent stays; changes follow it. */
export async function reload(standing: Standing, parts: ReloadParts): Promise<readonly string[]> {
  const { choices: before, guidance: told } = standing;
  const holds = await whatHolds({ choices: parts.flags, trusts: parts.trusts }, parts);
  if (holds.type === "mistake") return [`nothing was changed: ${holds.message}`];
  const { choices, trusted, sources } = holds;
  const guidance = await readGuidance({ ...parts, trusted, reads: readsOf(choices) });
  Object.assign(standing, { choices, trusted, guidance, sources });
  parts.agent.setSystemPrompt(parts.beginning(guidance));
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
