/** Loads the guidance of an agent (context files, skills, prompt templates), and reloads it together with the settings. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Agent, LimitsForModel, ProjectText, Skill, SkillFiles, SystemPromptOptions } from "@pith/agent";
import type { HostContext } from "../host-context.ts";
import { createLimitsForModel, type LimitsOptions, type Settings } from "../settings/settings.ts";
import type { UsageError } from "../text/usage-error.ts";
import type { FolderTrust } from "../trust/folder-trust.ts";
import { hashBytes } from "../trust/project-files.ts";
import { type ContextFileSources, readContextFiles } from "./context-files.ts";
import type { FoundSkill } from "./skills.ts";
import type { Templates } from "./templates.ts";

/** Reads only files that are skills at the moment, because a session file may name any path. */
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
  /** The skills that the system prompt lists. */
  readonly catalogue: readonly Skill[];
  readonly skills: readonly FoundSkill[];
  /** Which files were not read, or only in part, shown to the user. */
  readonly notes: readonly string[];
}

/** Folders that extensions add to the user's own. */
export interface ExtensionFolders {
  readonly skills: readonly string[];
  readonly prompts: readonly string[];
}

async function readGuidance(
  options: GuidanceOptions,
  { settings, trustedFolder }: Pick<GuidanceState, "settings" | "trustedFolder">,
): Promise<Guidance> {
  const sources = { ...options, trustedFolder };
  const { texts, notes } = settings.contextFiles === false ? NO_TEXTS : await readContextFiles(sources);
  const areSkillsRead = settings.skills !== false && hasSkills(sources);
  const skillGuidance = areSkillsRead ? await loadSkills(sources) : NO_SKILLS;
  return { ...skillGuidance, project: texts, notes: [...notes, ...skillGuidance.notes] };
}

type SkillSources = GuidanceOptions & { readonly trustedFolder: FolderTrust };

const NO_TEXTS = { texts: [], notes: [] } as const;
const NO_SKILLS = { catalogue: [], skills: [], notes: [] } as const;

/** Loads the code for skills only if there are skills. */
async function loadSkills(sources: SkillSources): Promise<Omit<Guidance, "project">> {
  const skillsModule = await import("./skills.ts");
  const { skills, notes } = await skillsModule.findSkills({
    ...sources,
    extensionFolders: sources.extensionFolders?.skills ?? [],
  });
  const catalogue = skillsModule.limitCatalogue(skills);
  return { skills, catalogue: catalogue.skills, notes: [...notes, ...catalogue.notes] };
}

function hasSkills({ home, userHome, trustedFolder, extensionFolders }: SkillSources): boolean {
  if (
    [...(extensionFolders?.skills ?? []), join(home, "skills"), join(userHome, ".agents", "skills")].some((folder) =>
      existsSync(folder),
    )
  )
    return true;
  return trustedFolder.type === "trusted" && trustedFolder.project.files.some(({ kind }) => kind === "skills");
}

/** The settings in effect, and what they were read from. */
export interface ResolvedSettings {
  readonly type: "resolved";
  readonly settings: Settings;
  /** Where each setting comes from, by its name. */
  readonly sources: ReadonlyMap<string, string>;
  readonly trustedFolder: FolderTrust;
  /** Notices for the user. */
  readonly notes: readonly string[];
}

export interface GuidanceOptions extends ContextFileSources, Pick<HostContext, "settings"> {
  /** The name of the agent definition in use. Absent if there is none. */
  readonly agentName?: string | undefined;
  /** Absent if no file of this folder is used. */
  readonly trustedFolder?: FolderTrust | undefined;
  readonly extensionFolders?: ExtensionFolders | undefined;
  /** The names of the built-in commands. A template cannot use them. */
  readonly commandNames?: () => Promise<readonly string[]>;
  /** Reads the settings again, for a reload. Absent: they do not change. */
  readonly readSettings?: () => Promise<ResolvedSettings | UsageError>;
  /** Shows a line to the user. */
  readonly notify: (line: string) => void;
}

export interface LoadedGuidance extends SkillFiles {
  /** The current state. `reload` changes it. */
  readonly state: Readonly<GuidanceState>;
  readonly limits: LimitsForModel;
  /** The name of the skill at this path. Null if the file is not a skill. */
  findSkillName(path: string): string | null;
}

export interface GuidanceActions {
  /** Prompt templates and skills, by name. */
  readonly templates: Templates;
  /** Reads everything again. Returns the changes as lines for the user. */
  readonly reload: () => Promise<readonly string[]>;
  /** The context files and skills that the system prompt contains now. */
  readonly getGuidance: () => Guidance;
  readonly readCurrentSettings: () => Readonly<Pick<GuidanceState, "settings" | "sources">>;
}

export async function loadGuidance(options: GuidanceOptions): Promise<LoadedGuidance> {
  const { settings, trustedFolder = createUntrustedFolder(options.cwd) } = options;
  const guidance = await readGuidance(options, { settings, trustedFolder });
  const state: GuidanceState = { settings, trustedFolder, guidance };
  return {
    state,
    limits: (model) =>
      createLimitsForModel(state.settings.compaction, toLimitsOptions(options.agentName, state.settings))(model),
    findSkillName: (path) => state.guidance.skills.find((skill) => skill.path === path)?.name ?? null,
    ...createSkillFiles(() => state.guidance.skills),
  };
}

function toLimitsOptions(agent: string | undefined, { branchSummary, firstTokenMinutes }: Settings): LimitsOptions {
  return { branchReserve: branchSummary?.reserveTokens, firstTokenMinutes, ...(agent !== undefined && { agent }) };
}

/** Loads the code on first use, because most runs use no template and never reload. */
export function createGuidanceActions(
  agent: Agent,
  { state }: LoadedGuidance,
  options: GuidanceOptions & { readonly buildSystemPrompt: (guidance: Guidance) => SystemPromptOptions },
): GuidanceActions {
  const templates = memoize(async () => {
    const [{ createTemplates }, reservedNames] = await Promise.all([
      import("./templates.ts"),
      options.commandNames?.() ?? [],
    ]);
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
    getGuidance: () => state.guidance,
    readCurrentSettings: () => state,
    templates: {
      expand: async (name, args) => (await templates()).expand(name, args),
      list: async () => (await templates()).list(),
    },
    reload: async () => await reload(state as GuidanceState, { ...options, agent }),
  };
}

function createUntrustedFolder(root: string): FolderTrust {
  const project = { root, folders: [], files: [], unread: [] };
  return { type: "untrusted", reason: "never", project, changes: [], notes: [] };
}

function memoize<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | null = null;
  return () => {
    value ??= create();
    return value;
  };
}

/** Lists each change as a line. Empty if nothing has changed. */
function listGuidanceChanges(before: Guidance, after: Guidance): readonly string[] {
  const texts = (guidance: Guidance): NamedTexts => new Map(guidance.project.map(({ path, text }) => [path, text]));
  const skills = (guidance: Guidance): NamedTexts =>
    new Map(guidance.skills.map(({ name, path, hash }) => [`The skill ${name}`, `${path} ${hash}`]));
  return [...listDifferences(texts(before), texts(after)), ...listDifferences(skills(before), skills(after))];
}

type NamedTexts = ReadonlyMap<string, string>;

function listDifferences(before: NamedTexts, after: NamedTexts): readonly string[] {
  const addedLines = [...after.keys()].filter((name) => !before.has(name)).map((name) => `${name} was added`);
  const removedLines = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${name} was removed`);
  const changedTexts = [...after].filter(([name, text]) => (before.get(name) ?? text) !== text);
  return [...addedLines, ...removedLines, ...changedTexts.map(([name]) => `${name} changed`)];
}

export interface GuidanceState {
  settings: Settings;
  trustedFolder: FolderTrust;
  guidance: Guidance;
  /** Where each setting comes from. Absent before the first reload. */
  sources?: ResolvedSettings["sources"];
}

export interface ReloadOptions extends GuidanceOptions {
  readonly agent: Pick<Agent, "setSystemPrompt">;
  readonly buildSystemPrompt: (guidance: Guidance) => SystemPromptOptions;
}

/**
 * Reloads settings and guidance and lists each change as a line. An error in a file leaves everything unchanged. Text that the model has
 * already received stays in the context; changes are sent after it.
 */
async function reload(state: GuidanceState, options: ReloadOptions): Promise<readonly string[]> {
  const { settings: oldSettings, guidance: oldGuidance } = state;
  const result = (await options.readSettings?.()) ?? { ...state, type: "resolved", notes: [] };
  if (result.type === "mistake") return [`Nothing was changed: ${result.message}`];
  const { settings, trustedFolder, sources } = result;
  const guidance = await readGuidance(options, { settings, trustedFolder });
  const next: GuidanceState = { settings, trustedFolder, guidance, ...(sources && { sources }) };
  Object.assign(state, next);
  options.agent.setSystemPrompt(options.buildSystemPrompt(guidance));
  return [
    ...listSettingChanges(oldSettings, settings),
    ...listGuidanceChanges(oldGuidance, guidance),
    ...result.notes,
    ...guidance.notes,
  ];
}

function listSettingChanges(before: Settings, after: Settings): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Settings)[];
  return names
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
    .map((name) => `Setting "${name}" changed${IMMEDIATE_SETTINGS[name] ?? RESTART_NOTICE}.`);
}

const RESTART_NOTICE = "; restart Pith to apply it";
const IMMEDIATE_SETTINGS: Readonly<Partial<Record<keyof Settings, string>>> = {
  contextFiles: "",
  notify: "",
  skills: "",
  compaction: ": thresholds and token limits apply now, other compaction settings after a restart",
};
