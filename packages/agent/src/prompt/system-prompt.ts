/** Builds the system prompt in named sections, and writes to the log only what has changed of it. */

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
import { appended } from "../append.ts";
import type { Mode } from "../permissions/decide.ts";
import type { Tool } from "../tool.ts";
import { draftEnvironment, type Environment } from "./environment.ts";
import { GUIDELINES, NO_TOOLS, PLAN, PROJECT, ROLE, ROLE_WITHOUT_TOOLS, TOOLS_OF_OTHERS } from "./prompt-text.ts";
import { SKILLS, type Skill } from "./skill.ts";

export interface PromptParts {
  readonly tools: readonly Tool[];
  /** False where the model can call none: then it is told so, and `tools` and `provided` are not declared. */
  readonly takesTools?: boolean | undefined;
  /** What the provider itself runs. */
  readonly provided?: readonly ToolSchema[];
  /** Instead of who it is and how it works. */
  readonly replacement?: string;
  /** Behind all that. */
  readonly addition?: string;
  /** What the people of the project wrote down for whoever works on it. */
  readonly project?: readonly ProjectText[];
  /** Told where it only looks, so that it plans rather than tries. */
  readonly mode?: Mode;
  /** Told of where files can be read, because that is how one is loaded. */
  readonly skills?: readonly Skill[];
}

export interface ProjectText {
  readonly path: string;
  readonly text: string;
}

/** Nothing in it changes from day to day or from folder to folder: it is the beginning of every request. */
export function systemMessage({ takesTools = true, ...parts }: PromptParts, timestamp: number): SystemMessage {
  const { replacement, addition, project = [], skills = [], mode } = parts;
  const [tools, provided] = takesTools ? [parts.tools, parts.provided ?? []] : [[], []];
  const reads = tools.some(({ name }) => name === "read");
  const role = replacement ?? (takesTools ? ROLE : ROLE_WITHOUT_TOOLS);
  const sections = {
    role,
    ...(!takesTools && { tools: withoutSchemas(parts.tools) }),
    ...(replacement === undefined && { guidelines: guidelines(tools) }),
    ...(addition && { addition }),
    ...(project.length > 0 && { project: projectSection(project) }),
    ...(reads && skills.length > 0 && { skills: skillsSection(skills) }),
    ...(mode === "plan" && { mode: PLAN }),
  };
  return { role: "system", content: "", sections, toolsAdded: [...tools.map(schemaOf), ...provided], timestamp };
}

function schemaOf({ name, description, parameters }: Tool): ToolSchema {
  return { name, description, parameters };
}

// B4: without schemas, the prompt is the only place that names the tools.
function withoutSchemas(tools: readonly Tool[]): string {
  if (tools.length === 0) return NO_TOOLS;
  const lines = tools.map(({ name, description }) => `- ${name}: ${firstSentence(description)}`);
  return [NO_TOOLS, TOOLS_OF_OTHERS, lines.join("\n")].join("\n\n");
}

function firstSentence(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return /^.*?[.!?](?= |$)/.exec(line)?.[0] ?? line;
}

function guidelines(tools: readonly Tool[]): string {
  const names = new Set(tools.map(({ name }) => name));
  const fitting = GUIDELINES.filter(({ needs }) => needs.every((name) => names.has(name)));
  return fitting.map(({ text }) => `- ${text}`).join("\n");
}

function projectSection(texts: readonly ProjectText[]): string {
  return [PROJECT, ...texts.map(({ path, text }) => `## ${path}\n\n${text.trim()}`)].join("\n\n");
}

function skillsSection(skills: readonly Skill[]): string {
  return `${SKILLS}\n\n${skills.map(({ name, description, path }) => `- ${name}: ${description} (${path})`).join("\n")}`;
}

/** Null where it says the same already. */
export function systemChange(before: SystemMessage | null, wanted: SystemMessage): SystemMessage | null {
  if (!before) return wanted;
  const sections = changedSections(before.sections ?? {}, wanted.sections ?? {});
  const { added, removed } = changedTools(before.toolsAdded ?? [], wanted.toolsAdded ?? []);
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

function changedSections(before: Sections, wanted: Sections): Sections {
  const changed = Object.entries(wanted).filter(([name, text]) => before[name] !== text);
  const gone = Object.keys(before).filter((name) => wanted[name] === undefined);
  return Object.fromEntries([...changed, ...gone.map((name): [string, null] => [name, null])]);
}

function changedTools(before: readonly ToolSchema[], wanted: readonly ToolSchema[]) {
  const told = new Map(before.map((tool) => [tool.name, JSON.stringify(tool)]));
  const offered = new Set(wanted.map(({ name }) => name));
  return {
    added: wanted.filter((tool) => told.get(tool.name) !== JSON.stringify(tool)),
    removed: before.filter(({ name }) => !offered.has(name)).map(({ name }) => ({ name })),
  };
}

/** The section that hooks write. It stays until no hook returns it any more, whatever else changes. */
export const EXTENSION = "extension";

/** What is wanted, with what hooks have said before: that is not for the program to take away. */
export function withExtension(wanted: SystemMessage, before: SystemMessage | null): SystemMessage {
  const said = before?.sections?.[EXTENSION];
  return said ? { ...wanted, sections: { ...wanted.sections, [EXTENSION]: said } } : wanted;
}

export interface Beginning extends Omit<PromptParts, "tools">, Environment {}

export interface EstablishParts {
  readonly session: Session;
  readonly tools: readonly Tool[];
  /** Who will speak: known from the log also where no reply ever comes. */
  readonly model: ModelName & Pick<Model, "takesTools">;
  readonly ports: Runtime;
  readonly beginning?: Beginning | undefined;
  readonly thinking?: ThinkingLevel | undefined;
}

/** Writes what the model must know before the first message; what the log has already is not written again. */
export async function establish(parts: EstablishParts): Promise<void> {
  const { session, beginning, thinking } = parts;
  await session.loadState();
  const environment = beginning ? await draftEnvironment(beginning, parts) : null;
  const said = [
    ...(beginning ? beginningOf(beginning, environment, parts) : []),
    ...(thinking && session.branch.state.thinkingLevel !== thinking ? [levelOf(thinking)] : []),
  ];
  if (said.length > 0) await appended(session, ...said);
}

function beginningOf(prompt: Beginning, environment: NewEntry | null, parts: EstablishParts): NewEntry[] {
  const { session, tools, model, ports } = parts;
  const { branch: window } = session;
  const now = ports.now();
  const before = mergeSystemMessages(window);
  const change = systemChange(
    before,
    withExtension(session.redact(systemMessage({ ...prompt, tools, takesTools: model.takesTools }, now)), before),
  );
  const speaker = window.state.model;
  const isKnown = speaker?.provider === model.provider && speaker.modelId === model.model;
  return [
    ...(change ? [{ type: "message" as const, message: change }] : []),
    ...(environment ? [environment] : []),
    ...(isKnown ? [] : [{ type: "model_change" as const, provider: model.provider, modelId: model.model }]),
  ];
}

function levelOf(thinkingLevel: ThinkingLevel): NewEntry {
  return { type: "thinking_level_change", thinkingLevel };
}
