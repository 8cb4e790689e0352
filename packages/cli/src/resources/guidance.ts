/** Reads what guides an agent (settings, context files, skills, prompt templates), and reads it again on reload. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Agent, LimitsForModel, ProjectText, Skill, SkillFiles, SystemPromptOptions } from "@pith/agent";
import type { Environment } from "@pith/models";
import type { CliArgs } from "../args/args.ts";
import { resolveSettings, type SettingSources } from "../settings/resolve.ts";
import {
  createLimitsForModel,
  type LimitsOptions,
  type Settings,
  type SettingsOverrides,
} from "../settings/settings.ts";
import { hashBytes } from "../trust/project-files.ts";
import type { FolderTrust } from "../trust/trust.ts";
import { type ContextFileSources, readContextFiles } from "./context-files.ts";
import type { FoundSkill } from "./skills.ts";
import type { Templates } from "./templates.ts";

/** Only files that are skills now are looked at: what a session names may be anything. */
export function createSkillFiles(skills: () => readonly Pick<Skill, "path">[]): SkillFiles {
  return {
    async readHash(path) {
      if (!skills().some((skill) => skill.path === path)) return null;
      const { readResourceFile } = await import("./skills.ts");
      const bytes = await readResourceFile(path);
      return bytes instanceof Uint8Array ? hashBytes(bytes) : null;
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

export interface GuidanceSources extends ContextFileSources {
  readonly trustedFolder: FolderTrust;
  readonly enabled: { readonly contextFiles: boolean; readonly skills: boolean };
  readonly extensionFolders?: ExtensionFolders;
}

/** Beside the user's own. */
export interface ExtensionFolders {
  readonly skills: readonly string[];
  readonly prompts: readonly string[];
}

export async function readGuidance(sources: GuidanceSources): Promise<Guidance> {
  const { contextFiles, skills: areSkillsEnabled } = sources.enabled;
  const { texts, notes } = contextFiles ? await readContextFiles(sources) : NO_TEXTS;
  const skillGuidance = areSkillsEnabled && hasSkills(sources) ? await loadSkills(sources) : NO_SKILLS;
  return { ...skillGuidance, project: texts, notes: [...notes, ...skillGuidance.notes] };
}

export function getEnabledResources({ contextFiles, skills }: Settings): GuidanceSources["enabled"] {
  return { contextFiles: contextFiles !== false, skills: skills !== false };
}

const NO_TEXTS = { texts: [], notes: [] } as const;
const NO_SKILLS = { catalogue: [], skills: [], notes: [] } as const;

/** All that reads skills is loaded where there are some. */
async function loadSkills(sources: GuidanceSources): Promise<Omit<Guidance, "project">> {
  const skillsModule = await import("./skills.ts");
  const { skills, notes } = await skillsModule.findSkills({
    ...sources,
    extensionFolders: sources.extensionFolders?.skills ?? [],
  });
  const limited = skillsModule.limitCatalogue(skills);
  return { skills, catalogue: limited.skills, notes: [...notes, ...limited.notes] };
}

function hasSkills({ home, userHome, trustedFolder, extensionFolders }: GuidanceSources): boolean {
  if (
    [...(extensionFolders?.skills ?? []), join(home, "skills"), join(userHome, ".agents", "skills")].some((folder) =>
      existsSync(folder),
    )
  )
    return true;
  return trustedFolder.type === "trusted" && trustedFolder.project.files.some(({ kind }) => kind === "skills");
}

export interface GuidanceOptions extends Pick<ReloadOptions, "cwd" | "home" | "userHome" | "mayRead" | "environment"> {
  readonly args: CliArgs;
  readonly settings: Settings;
  /** What of this folder counts; absent: nothing. */
  readonly trustedFolder: FolderTrust | undefined;
  /** Folders that extensions name beside the usual ones. */
  readonly extensionFolders?: ExtensionFolders;
  /** The names of the built-in commands, which no template may have. */
  readonly commandNames: () => Promise<readonly string[]>;
  /** For people. */
  readonly notify: (line: string) => void;
}

export interface LoadedGuidance extends SkillFiles {
  /** As it is at this moment. */
  readonly state: Readonly<GuidanceState>;
  readonly limits: LimitsForModel;
  /** The name of the skill whose text lies there; null for every other file. */
  findSkillName(path: string): string | null;
}

export interface GuidanceActions {
  /** What is said by its name: prompt templates and skills. */
  readonly templates: Templates;
  /** Reads all of it anew; what has changed, for people. */
  readonly reload: () => Promise<readonly string[]>;
  /** What is set at this moment. */
  readonly readCurrentSettings: () => Readonly<Pick<GuidanceState, "settings" | "sources">>;
}

export async function loadGuidance(options: GuidanceOptions): Promise<LoadedGuidance> {
  const { settings, trustedFolder = createUntrustedFolder(options.cwd) } = options;
  const guidance = await readGuidance({ ...options, trustedFolder, enabled: getEnabledResources(settings) });
  const state: GuidanceState = { settings, trustedFolder, guidance };
  return {
    state,
    limits: (model) =>
      createLimitsForModel(state.settings.compaction, toLimitsOptions(options.args, state.settings))(model),
    findSkillName: (path) => state.guidance.skills.find((skill) => skill.path === path)?.name ?? null,
    ...createSkillFiles(() => state.guidance.skills),
  };
}

function toLimitsOptions({ agent }: CliArgs, { branchSummary, firstTokenMinutes }: Settings): LimitsOptions {
  return { branchReserve: branchSummary?.reserveTokens, firstTokenMinutes, ...(agent !== undefined && { agent }) };
}

/** Loaded when somebody asks for it: most calls name no template and reload nothing. */
export function createGuidanceActions(
  agent: Agent,
  { state }: LoadedGuidance,
  options: GuidanceOptions & { readonly buildSystemPrompt: (guidance: Guidance) => SystemPromptOptions },
): GuidanceActions {
  const templates = memoize(async () => {
    const [{ createTemplates }, reservedNames] = await Promise.all([import("./templates.ts"), options.commandNames()]);
    const getSources = () => ({
      home: options.home,
      trustedFolder: state.trustedFolder,
      reservedNames,
      extensionFolders: options.extensionFolders?.prompts ?? [],
    });
    return createTemplates({
      agent,
      getSkills: () => state.guidance.skills,
      getSources,
      notify: options.notify,
    });
  });
  return {
    readCurrentSettings: () => state,
    templates: {
      expand: async (name, args) => (await templates()).expand(name, args),
      list: async () => (await templates()).list(),
    },
    reload: async () => {
      const { overrides, trustsProject } = options.args;
      return await reload(state as GuidanceState, { ...options, agent, overrides, trustsProject });
    },
  };
}

function createUntrustedFolder(root: string): FolderTrust {
  const holds = { root, folders: [], files: [], unread: [] };
  return { type: "untrusted", reason: "never", project: holds, changes: [], notes: [] };
}

function memoize<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let created: Promise<Value> | null = null;
  return () => {
    created ??= create();
    return created;
  };
}

/** A line for each; none where nothing differs. */
export function listGuidanceChanges(before: Guidance, after: Guidance): readonly string[] {
  const texts = (guidance: Guidance): NamedTexts => new Map(guidance.project.map(({ path, text }) => [path, text]));
  const skills = (guidance: Guidance): NamedTexts =>
    new Map(guidance.skills.map(({ name, path, hash }) => [`the skill ${name}`, `${path} ${hash}`]));
  return [...listDifferences(texts(before), texts(after)), ...listDifferences(skills(before), skills(after))];
}

type NamedTexts = ReadonlyMap<string, string>;

function listDifferences(before: NamedTexts, after: NamedTexts): readonly string[] {
  const added = [...after.keys()].filter((name) => !before.has(name)).map((name) => `${name} is new`);
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${name} is gone`);
  const changed = [...after].filter(([name, text]) => (before.get(name) ?? text) !== text);
  return [...added, ...gone, ...changed.map(([name]) => `${name} has changed`)];
}

/** As it is at this moment. */
export interface GuidanceState {
  settings: Settings;
  trustedFolder: FolderTrust;
  guidance: Guidance;
  /** Who said what is set; absent before anything was read anew. */
  sources?: SettingSources;
}

export interface ReloadOptions extends Pick<GuidanceSources, "cwd" | "home" | "userHome" | "mayRead"> {
  readonly agent: Pick<Agent, "setSystemPrompt">;
  readonly environment: Environment;
  /** What the command line says, which still holds. */
  readonly overrides: SettingsOverrides;
  /** Whether the folder is trusted in this call, whatever was kept. */
  readonly trustsProject: boolean;
  readonly buildSystemPrompt: (guidance: Guidance) => SystemPromptOptions;
}

/** A line for each thing that has changed. A mistake in a file changes nothing. What the model was sent stays; changes follow it. */
export async function reload(state: GuidanceState, options: ReloadOptions): Promise<readonly string[]> {
  const { settings: oldSettings, guidance: oldGuidance } = state;
  const effective = await resolveSettings(
    { overrides: options.overrides, trustsProject: options.trustsProject },
    options,
  );
  if (effective.type === "mistake") return [`nothing was changed: ${effective.message}`];
  const { settings, trustedFolder, sources } = effective;
  const guidance = await readGuidance({ ...options, trustedFolder, enabled: getEnabledResources(settings) });
  const next: GuidanceState = { settings, trustedFolder, guidance, sources };
  Object.assign(state, next);
  options.agent.setSystemPrompt(options.buildSystemPrompt(guidance));
  return [
    ...listSettingChanges(oldSettings, settings),
    ...listGuidanceChanges(oldGuidance, guidance),
    ...effective.notes,
    ...guidance.notes,
  ];
}

function listSettingChanges(before: Settings, after: Settings): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Settings)[];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `the setting ${name} has changed${APPLIES_AT_ONCE[name] ?? APPLIES_LATER}`);
}

const APPLIES_LATER = "; it counts when Pith is started again";
const APPLIES_AT_ONCE: Readonly<Partial<Record<keyof Settings, string>>> = {
  contextFiles: "",
  notify: "",
  skills: "",
  compaction: "; its amounts count at once, the rest when Pith is started again",
};
