/** Builds the system prompt from named sections, and appends only its changes to the session. */

import type {
  Model,
  ModelName,
  NewEntry,
  Runtime,
  Session,
  SystemMessage,
  ThinkingLevel,
  Tool as ToolSchema,
} from "@pith/context";
import { mergeSystemMessages } from "@pith/context/host";
import { appendEntries } from "../append-entries.ts";
import type { PermissionMode } from "../permissions/decide.ts";
import type { Tool } from "../tool.ts";
import { draftEnvironment, type Environment } from "./environment.ts";
import {
  GUIDELINES,
  NO_TOOLS,
  OTHER_MODEL_TOOLS,
  PLAN_MODE,
  PROJECT_HEADING,
  ROLE,
  ROLE_WITHOUT_TOOLS,
  SKILLS_HEADING,
} from "./prompt-text.ts";

export interface SystemMessageOptions {
  readonly tools: readonly Tool[];
  /** False if the model cannot call tools. The prompt then says so, and no tool is declared. */
  readonly takesTools?: boolean | undefined;
  /** Tools that the provider runs. */
  readonly providerTools?: readonly ToolSchema[];
  /** Replaces the role and the guidelines. */
  readonly customPrompt?: string;
  /** Follows the role and the guidelines. */
  readonly appendedPrompt?: string;
  /** The instruction files of the project, such as AGENTS.md. */
  readonly projectTexts?: readonly ProjectText[];
  /** In plan mode the prompt says that nothing can be changed. */
  readonly mode?: PermissionMode;
  /** Listed only if there is a `read` tool, which loads them. */
  readonly skills?: readonly Skill[];
}

/** A file with instructions of the project, such as AGENTS.md. */
export interface ProjectText {
  readonly path: string;
  readonly text: string;
}

/** An instruction file for one kind of task. A skill never grants a permission. */
export interface Skill {
  readonly name: string;
  /** When to use it, on one line. */
  readonly description: string;
  /** An absolute path. */
  readonly path: string;
}

/** It contains nothing that depends on the date or the folder, so that the start of every request can be cached. */
export function buildSystemMessage(
  { takesTools = true, ...options }: SystemMessageOptions,
  timestamp: number,
): SystemMessage {
  const { customPrompt, appendedPrompt, projectTexts = [], skills = [], mode } = options;
  const [tools, providerTools] = takesTools ? [options.tools, options.providerTools ?? []] : [[], []];
  const canRead = tools.some(({ name }) => name === "read");
  const role = customPrompt ?? (takesTools ? ROLE : ROLE_WITHOUT_TOOLS);
  const sections = {
    role,
    ...(!takesTools && { tools: describeUnavailableTools(options.tools) }),
    ...(customPrompt === undefined && { guidelines: formatGuidelines(tools) }),
    ...(appendedPrompt && { addition: appendedPrompt }),
    ...(projectTexts.length > 0 && { project: formatProjectSection(projectTexts) }),
    ...(canRead && skills.length > 0 && { skills: formatSkillsSection(skills) }),
    ...(mode === "plan" && { mode: PLAN_MODE }),
  };
  return {
    role: "system",
    content: "",
    sections,
    toolsAdded: [...tools.map(toToolSchema), ...providerTools],
    timestamp,
  };
}

function toToolSchema({ name, description, parameters }: Tool): ToolSchema {
  return { name, description, parameters };
}

// B4: without schemas, the prompt is the only place that names the tools.
function describeUnavailableTools(tools: readonly Tool[]): string {
  if (tools.length === 0) return NO_TOOLS;
  const lines = tools.map(({ name, description }) => `- ${name}: ${firstSentence(description)}`);
  return [NO_TOOLS, OTHER_MODEL_TOOLS, lines.join("\n")].join("\n\n");
}

function firstSentence(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
}

function formatGuidelines(tools: readonly Tool[]): string {
  const names = new Set(tools.map(({ name }) => name));
  const applicable = GUIDELINES.filter(({ needs }) => needs.every((name) => names.has(name)));
  return applicable.map(({ text }) => `- ${text}`).join("\n");
}

function formatProjectSection(texts: readonly ProjectText[]): string {
  return [PROJECT_HEADING, ...texts.map(({ path, text }) => `## ${path}\n\n${text.trim()}`)].join("\n\n");
}

function formatSkillsSection(skills: readonly Skill[]): string {
  return `${SKILLS_HEADING}\n\n${skills.map(({ name, description, path }) => `- ${name}: ${description} (${path})`).join("\n")}`;
}

/** The change from one system message to another; null if they are equal. */
function diffSystemMessage(before: SystemMessage | null, wanted: SystemMessage): SystemMessage | null {
  if (!before) return wanted;
  const sections = diffSections(before.sections ?? {}, wanted.sections ?? {});
  const { added, removed } = diffTools(before.toolsAdded ?? [], wanted.toolsAdded ?? []);
  if (Object.keys(sections).length === 0 && added.length === 0 && removed.length === 0) return null;
  return {
    role: "system",
    content: "",
    ...(Object.keys(sections).length > 0 && { sections }),
    ...(added.length > 0 && { toolsAdded: added }),
    ...(removed.length > 0 && { toolsRemoved: removed }),
    timestamp: wanted.timestamp,
  };
}

type Sections = NonNullable<SystemMessage["sections"]>;

function diffSections(before: Sections, wanted: Sections): Sections {
  const changed = Object.entries(wanted).filter(([name, text]) => before[name] !== text);
  const removed = Object.keys(before).filter((name) => wanted[name] === undefined);
  return Object.fromEntries([...changed, ...removed.map((name): [string, null] => [name, null])]);
}

function diffTools(before: readonly ToolSchema[], wanted: readonly ToolSchema[]) {
  const previousSchemas = new Map(before.map((tool) => [tool.name, JSON.stringify(tool)]));
  const wantedNames = new Set(wanted.map(({ name }) => name));
  return {
    added: wanted.filter((tool) => previousSchemas.get(tool.name) !== JSON.stringify(tool)),
    removed: before.filter(({ name }) => !wantedNames.has(name)).map(({ name }) => ({ name })),
  };
}

/** The section that hooks write. It stays until no hook returns it any more. */
export const EXTENSION_SECTION = "extension";

/** Adds the section of hooks to the wanted message, because only hooks may remove it. */
function keepExtensionSection(wanted: SystemMessage, before: SystemMessage | null): SystemMessage {
  const text = before?.sections?.[EXTENSION_SECTION];
  return text ? { ...wanted, sections: { ...wanted.sections, [EXTENSION_SECTION]: text } } : wanted;
}

/** What the system prompt is built from. */
export interface SystemPromptOptions extends Omit<SystemMessageOptions, "tools">, Environment {}

export interface EnsureSystemPromptOptions {
  readonly session: Session;
  readonly tools: readonly Tool[];
  /** Recorded in the session, so that the model is known even if it never replies. */
  readonly model: ModelName & Pick<Model, "takesTools">;
  readonly runtime: Runtime;
  readonly systemPrompt?: SystemPromptOptions | undefined;
  readonly thinkingLevel?: ThinkingLevel | undefined;
}

/** Appends the system prompt, the environment, the model and the thinking level where they differ from the session. */
export async function ensureSystemPrompt(options: EnsureSystemPromptOptions): Promise<void> {
  const { session, systemPrompt, thinkingLevel } = options;
  await session.loadState();
  const environment = systemPrompt ? await draftEnvironment(systemPrompt, options) : null;
  const entries = [
    ...(systemPrompt ? createPromptEntries(systemPrompt, environment, options) : []),
    ...(thinkingLevel && session.branch.state.thinkingLevel !== thinkingLevel
      ? [{ type: "thinking_level_change", thinkingLevel } as const]
      : []),
  ];
  if (entries.length > 0) await appendEntries(session, ...entries);
}

function createPromptEntries(
  systemPrompt: SystemPromptOptions,
  environment: NewEntry | null,
  options: EnsureSystemPromptOptions,
): NewEntry[] {
  const { session, tools, model, runtime } = options;
  const { branch } = session;
  const now = runtime.now();
  const before = mergeSystemMessages(branch);
  const change = diffSystemMessage(
    before,
    keepExtensionSection(
      session.redact(buildSystemMessage({ ...systemPrompt, tools, takesTools: model.takesTools }, now)),
      before,
    ),
  );
  const recordedModel = branch.state.model;
  const isKnown = recordedModel?.provider === model.provider && recordedModel.modelId === model.model;
  return [
    ...(change ? [{ type: "message" as const, message: change }] : []),
    ...(environment ? [environment] : []),
    ...(isKnown ? [] : [{ type: "model_change" as const, provider: model.provider, modelId: model.model }]),
  ];
}
