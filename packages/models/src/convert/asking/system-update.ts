/** A change of the system state, told in the place where it happened; the leading prompt is never rewritten. */

import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { ModelName, SystemMessage, Tool } from "@pith/context";
import { searches } from "../served/own-search.ts";

export interface UpdateParts {
  readonly to: ModelName;
  /** The tools as they were told of last, by name; none for one that is declared and new here. */
  readonly told: ReadonlyMap<string, Tool>;
}

/** Null where there is nothing to tell. */
export function systemUpdate(message: SystemMessage, { to, told }: UpdateParts): LanguageModelV4Message | null {
  const text = updateText(withoutMissing(message, to), told);
  if (text === "") return null;
  if (takesSystemAnywhere(to)) return { role: "system", content: text };
  return { role: "user", content: [{ type: "text", text: `<system-update>\n${text}\n</system-update>` }] };
}

// A tool of the provider's own is told of where there is one.
function withoutMissing(message: SystemMessage, to: ModelName): SystemMessage {
  const { toolsAdded = [] } = message;
  return { ...message, toolsAdded: toolsAdded.filter(({ from }) => from !== "provider" || searches(to)) };
}

// Gemini's package throws at one; Anthropic's needs a beta that few models have; most servers of the chat protocol have
// templates that allow one only at the beginning.
function takesSystemAnywhere({ api, provider }: ModelName): boolean {
  return api === "openai-responses" || (api === "openai-completions" && provider === "openai");
}

function updateText(message: SystemMessage, told: UpdateParts["told"]): string {
  const { content, sections = {}, toolsAdded = [], toolsRemoved = [] } = message;
  const changed = toolsAdded.filter((tool) => isOther(tool, told.get(tool.name)));
  const words = typeof content === "string" ? content : content.map(({ text }) => text).join("\n");
  const patches = Object.entries(sections).map(([name, text]) =>
    text === null
      ? `The part "${name}" of your instructions holds no longer.`
      : `The part "${name}" of your instructions now reads:\n\n${text}`,
  );
  return [words, ...patches, ...removal(toolsRemoved), ...addition(toolsAdded), ...changed.map(definition)]
    .filter(hasWords)
    .join("\n\n");
}

function removal(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.length === 0 ? [] : [`These tools are gone; do not call them: ${names(tools)}.`];
}

function addition(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.length === 0 ? [] : [`From here on you can call these tools: ${names(tools)}.`];
}

// A tool is declared once, as it was first: what became of it is told in words.
function definition({ name, description, parameters }: Tool): string {
  return `The tool ${name} is no longer what it was. ${description}\nIts parameters are now: ${JSON.stringify(parameters)}`;
}

function isOther(tool: Tool, before: Tool | undefined): boolean {
  const { description, parameters } = before ?? tool;
  return tool.description !== description || JSON.stringify(tool.parameters) !== JSON.stringify(parameters);
}

const names = (tools: readonly { readonly name: string }[]): string => tools.map(({ name }) => name).join(", ");
const hasWords = (text: string): boolean => text.trim() !== "";
