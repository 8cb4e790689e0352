/** Converts user, assistant, tool-result and system messages to prompt messages, and places cache marks. */

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type {
  AssistantMessage,
  CacheMark,
  ImageBlock,
  ModelName,
  Request,
  SystemMessage,
  TextBlock,
  Tool,
  ToolCallBlock,
  ToolResultMessage,
  UserMessage,
} from "@pith/context";
import type { Beside, Dialect } from "./dialects/dialect.ts";
import { dialectOf } from "./dialects/registry.ts";
import { sentName } from "./draft.ts";
import { searches, servedIn } from "./server-tools.ts";

type Said<Role> = Extract<LanguageModelV4Message, { role: Role }>;

export interface SaidTo {
  readonly to: ModelName;
  /** Whether it may search again: only then does it take back what it has found. */
  readonly searches: boolean;
}

export function assistantMessage(message: AssistantMessage, { to, searches }: SaidTo): Said<"assistant"> {
  const dialect = dialectOf(to);
  const keepsServed = searches && isFrom(message, to);
  const thinks = message.content.some((block) => block.type === "thinking" && dialect.sentThinking(block).length > 0);
  const content = message.content.flatMap((block) => {
    const served = keepsServed ? servedIn(block) : null;
    const parts = served ? dialect.sentServed(served, { thinks }) : [];
    return parts.length > 0 ? [...parts] : saidParts(block, dialect, { thinks });
  });
  const providerOptions = dialect.sentOptions?.(message);
  return { role: "assistant", content, ...(providerOptions && { providerOptions }) };
}

function isFrom({ api, provider, model }: AssistantMessage, to: ModelName): boolean {
  return api === to.api && provider === to.provider && model === to.model;
}

function saidParts(
  block: AssistantMessage["content"][number],
  dialect: Dialect,
  beside: Beside,
): Said<"assistant">["content"] {
  switch (block.type) {
    case "text":
      return [dialect.sentText(block, beside)];
    case "thinking":
      return [...dialect.sentThinking(block)];
    case "toolCall":
      return [dialect.sentCall(harmlessCall(block), beside)];
  }
}

// A signature of what is sent otherwise than it came would be taken for a forged one.
function harmlessCall(block: ToolCallBlock): ToolCallBlock {
  const name = sentName(block.name);
  const { thoughtSignature, ...unsigned } = block;
  return name === block.name && block.pith === undefined ? block : { ...unsigned, name };
}

export function userMessage({ content }: UserMessage): Said<"user"> {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return { role: "user", content: blocks.map(shownPart) };
}

export function shownPart(block: TextBlock | ImageBlock): LanguageModelV4TextPart | LanguageModelV4FilePart {
  return block.type === "text" ? { type: "text", text: block.text } : imagePart(block);
}

export function imagePart({ data, mimeType }: ImageBlock): LanguageModelV4FilePart {
  return { type: "file", mediaType: mimeType, data: { type: "data", data } };
}

/** Only Anthropic takes cache marks; other providers find the prefix themselves. */
export function marksOf({ cacheMarks }: Request, { api }: ModelName): readonly CacheMark[] {
  if (api !== "anthropic-messages") return [];
  const first = cacheMarks.filter(({ after }) => after !== "message");
  const messages = cacheMarks.filter((mark) => mark.after === "message").toSorted((one, two) => one.index - two.index);
  return [...first, ...messages.slice(Math.max(0, messages.length + first.length - MOST_MARKS))];
}

// A fifth is refused. What comes after the oldest messages is worth more than they are.
const MOST_MARKS = 4;

/** What a part bears that ends a prefix to be kept. */
export const cacheMark: { readonly providerOptions: SharedV4ProviderOptions } = {
  providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
};

/** The same parts, the last of them marked; reasoning cannot bear a mark. */
export function markedLast<Part extends { readonly type: string; readonly providerOptions?: SharedV4ProviderOptions }>(
  parts: readonly Part[],
): Part[] {
  const last = parts.findLastIndex(({ type }) => type !== "reasoning");
  return parts.map((part, index) => (index === last ? marked(part) : part));
}

function marked<Part extends { readonly providerOptions?: SharedV4ProviderOptions }>(part: Part): Part {
  const { anthropic } = part.providerOptions ?? {};
  const providerOptions = {
    ...part.providerOptions,
    anthropic: { ...anthropic, ...cacheMark.providerOptions.anthropic },
  };
  return { ...part, providerOptions };
}

export interface GivenResult {
  readonly message: ToolResultMessage;
  readonly marked: boolean;
}

/** One message for all results of a reply, since Gemini counts them; images follow in a user message where results take none. */
export function resultMessages(results: readonly GivenResult[], to: ModelName): readonly LanguageModelV4Message[] {
  const content = results.flatMap(({ message, marked }) => {
    const part = resultPart(message, to);
    return marked ? markedLast([part]) : [part];
  });
  const apart = results.flatMap(({ message }) => (standApart(message, to) ? picturesApart(message) : []));
  return [{ role: "tool", content }, ...(apart.length > 0 ? [{ role: "user" as const, content: apart }] : [])];
}

function resultPart(message: ToolResultMessage, to: ModelName): LanguageModelV4ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: dialectOf(to).sentCallId(message.toolCallId),
    toolName: sentName(message.toolName),
    output: outputOf(message, to),
  };
}

function outputOf(message: ToolResultMessage, to: ModelName): LanguageModelV4ToolResultOutput {
  const { content, isError } = message;
  const images = content.filter((block) => block.type === "image");
  const text = joined(content);
  const type = isError && marksErrors(to) ? "error-text" : "text";
  // Without a result, its call would be refused.
  if (images.length === 0) return { type, value: text.trim() === "" ? NO_OUTPUT : text };
  if (standApart(message, to)) return { type, value: text === "" ? PICTURES_FOLLOW : `${text}\n${PICTURES_FOLLOW}` };
  // Older models get one response for each text, and none for pictures alone, where there must be one for each call.
  if (to.api === "google-generative-ai")
    return { type: "content", value: [{ type: "text", text: text || PICTURES_HERE }, ...images.map(imagePart)] };
  return { type: "content", value: content.map(shownPart) };
}

// OpenAI's packages put an error into JSON, every line break escaped; it has no field for one anyway.
function marksErrors({ api }: ModelName): boolean {
  return api !== "openai-completions" && api !== "openai-responses";
}

// Chat takes results that are text alone; elsewhere a result with pictures cannot be marked as an error.
function standApart({ isError }: ToolResultMessage, to: ModelName): boolean {
  return to.api === "openai-completions" || (isError && marksErrors(to));
}

function picturesApart({ toolName, toolCallId, content }: ToolResultMessage): ReturnType<typeof shownPart>[] {
  const images = content.filter((block) => block.type === "image");
  if (images.length === 0) return [];
  return [{ type: "text", text: `From the result of the tool ${toolName} (${toolCallId}):` }, ...images.map(imagePart)];
}

const NO_OUTPUT = "(no output)";
const PICTURES_FOLLOW = "(its images follow in the next message)";
const PICTURES_HERE = "(the result is the image beside this)";

function joined(content: readonly (TextBlock | ImageBlock)[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export interface UpdateParts {
  readonly to: ModelName;
  /** The tools as they were told of last, by name; none for one that is declared and new here. */
  readonly told: ReadonlyMap<string, Tool>;
}

/** A change of the system state, sent where it happened: the leading prompt is never rewritten. Null where there is nothing to tell. */
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
