/** What a model is told first, in named sections, so that one can change without the rest. */

import type { SystemMessage, Tool as ToolSchema } from "@pith/context";
import type { Mode } from "../permissions/table.ts";
import type { Skill } from "../skills/skill.ts";
import { SKILLS } from "../skills/words.ts";
import type { Tool } from "../tool.ts";
import { GUIDELINES, PLAN, PROJECT, ROLE } from "./sections.ts";

export interface PromptParts {
  readonly tools: readonly Tool[];
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
export function systemMessage({ tools, ...parts }: PromptParts, timestamp: number): SystemMessage {
  const { replacement, addition, project = [], skills = [], provided = [], mode } = parts;
  const reads = tools.some(({ name }) => name === "read");
  const own = { role: ROLE, guidelines: guidelines(tools) };
  const sections = {
    ...(replacement === undefined ? own : { role: replacement }),
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
