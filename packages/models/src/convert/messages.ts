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
import { escapeToolName } from "./draft.ts";
import { findProtocol } from "./find-protocol.ts";
import type { Protocol, ReplyContext } from "./protocol.ts";
import { readServerToolRun, supportsWebSearch } from "./server-tools.ts";

type PromptMessageOf<Role> = Extract<LanguageModelV4Message, { role: Role }>;

export interface PromptTarget {
  readonly target: ModelName;
  /** Whether it may search again: only then does it take back what it has found. */
  readonly canSearch: boolean;
}

export function toAssistantMessage(
  message: AssistantMessage,
  { target, canSearch }: PromptTarget,
): PromptMessageOf<"assistant"> {
  const protocol = findProtocol(target);
  const replaysServerTools = canSearch && isSameModel(message, target);
  const hasReasoning = message.content.some(
    (block) => block.type === "thinking" && protocol.toReasoningParts(block).length > 0,
  );
  const content = message.content.flatMap((block) => {
    const serverToolRun = replaysServerTools ? readServerToolRun(block) : null;
    const parts = serverToolRun ? protocol.replayServerTool(serverToolRun, { hasReasoning }) : [];
    return parts.length > 0 ? [...parts] : toPromptParts(block, protocol, { hasReasoning });
  });
  const providerOptions = protocol.toMessageOptions?.(message);
  return { role: "assistant", content, ...(providerOptions && { providerOptions }) };
}

function isSameModel({ api, provider, model }: AssistantMessage, target: ModelName): boolean {
  return api === target.api && provider === target.provider && model === target.model;
}

function toPromptParts(
  block: AssistantMessage["content"][number],
  protocol: Protocol,
  context: ReplyContext,
): PromptMessageOf<"assistant">["content"] {
  switch (block.type) {
    case "text":
      return [protocol.toTextPart(block, context)];
    case "thinking":
      return [...protocol.toReasoningParts(block)];
    case "toolCall":
      return [protocol.toCallPart(sanitizeCall(block), context)];
  }
}

// A signature of what is sent otherwise than it came would be taken for a forged one.
function sanitizeCall(block: ToolCallBlock): ToolCallBlock {
  const name = escapeToolName(block.name);
  const { thoughtSignature, ...unsigned } = block;
  return name === block.name && block.pith === undefined ? block : { ...unsigned, name };
}

export function toUserMessage({ content }: UserMessage): PromptMessageOf<"user"> {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return { role: "user", content: blocks.map(toContentPart) };
}

export function toContentPart(block: TextBlock | ImageBlock): LanguageModelV4TextPart | LanguageModelV4FilePart {
  return block.type === "text" ? { type: "text", text: block.text } : toImagePart(block);
}

export function toImagePart({ data, mimeType }: ImageBlock): LanguageModelV4FilePart {
  return { type: "file", mediaType: mimeType, data: { type: "data", data } };
}

/** Only Anthropic takes cache marks; other providers find the prefix themselves. */
export function selectCacheMarks({ cacheMarks }: Request, { api }: ModelName): readonly CacheMark[] {
  if (api !== "anthropic-messages") return [];
  const prefixMarks = cacheMarks.filter(({ after }) => after !== "message");
  const messageMarks = cacheMarks
    .filter((mark) => mark.after === "message")
    .toSorted((one, two) => one.index - two.index);
  return [
    ...prefixMarks,
    ...messageMarks.slice(Math.max(0, messageMarks.length + prefixMarks.length - MAX_CACHE_MARKS)),
  ];
}

// A fifth is refused. What comes after the oldest messages is worth more than they are.
const MAX_CACHE_MARKS = 4;

/** What a part bears that ends a prefix to be kept. */
export const cacheControlOptions: { readonly providerOptions: SharedV4ProviderOptions } = {
  providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
};

/** The same parts, the last of them marked; reasoning cannot bear a mark. */
export function markLastPart<
  Part extends { readonly type: string; readonly providerOptions?: SharedV4ProviderOptions },
>(parts: readonly Part[]): Part[] {
  const last = parts.findLastIndex(({ type }) => type !== "reasoning");
  return parts.map((part, index) => (index === last ? markPart(part) : part));
}

function markPart<Part extends { readonly providerOptions?: SharedV4ProviderOptions }>(part: Part): Part {
  const { anthropic } = part.providerOptions ?? {};
  const providerOptions = {
    ...part.providerOptions,
    anthropic: { ...anthropic, ...cacheControlOptions.providerOptions.anthropic },
  };
  return { ...part, providerOptions };
}

export interface ToolResultItem {
  readonly message: ToolResultMessage;
  readonly isMarked: boolean;
}

/** One message for all results of a reply, since Gemini counts them; images follow in a user message where results take none. */
export function toToolMessages(
  results: readonly ToolResultItem[],
  target: ModelName,
): readonly LanguageModelV4Message[] {
  const content = results.flatMap(({ message, isMarked }) => {
    const part = toResultPart(message, target);
    return isMarked ? markLastPart([part]) : [part];
  });
  const separateParts = results.flatMap(({ message }) =>
    needsSeparateImages(message, target) ? toSeparateImageParts(message) : [],
  );
  return [
    { role: "tool", content },
    ...(separateParts.length > 0 ? [{ role: "user" as const, content: separateParts }] : []),
  ];
}

function toResultPart(message: ToolResultMessage, target: ModelName): LanguageModelV4ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: findProtocol(target).toCallId(message.toolCallId),
    toolName: escapeToolName(message.toolName),
    output: toResultOutput(message, target),
  };
}

function toResultOutput(message: ToolResultMessage, target: ModelName): LanguageModelV4ToolResultOutput {
  const { content, isError } = message;
  const images = content.filter((block) => block.type === "image");
  const text = joinTexts(content);
  const type = isError && supportsErrorResults(target) ? "error-text" : "text";
  // Without a result, its call would be refused.
  if (images.length === 0) return { type, value: text.trim() === "" ? NO_OUTPUT : text };
  if (needsSeparateImages(message, target))
    return { type, value: text === "" ? IMAGES_FOLLOW : `${text}\n${IMAGES_FOLLOW}` };
  // Older models get one response for each text, and none for pictures alone, where there must be one for each call.
  if (target.api === "google-generative-ai")
    return { type: "content", value: [{ type: "text", text: text || IMAGES_ATTACHED }, ...images.map(toImagePart)] };
  return { type: "content", value: content.map(toContentPart) };
}

// OpenAI's packages put an error into JSON, every line break escaped; it has no field for one anyway.
function supportsErrorResults({ api }: ModelName): boolean {
  return api !== "openai-completions" && api !== "openai-responses";
}

// Chat takes results that are text alone; elsewhere a result with pictures cannot be marked as an error.
function needsSeparateImages({ isError }: ToolResultMessage, target: ModelName): boolean {
  return target.api === "openai-completions" || (isError && supportsErrorResults(target));
}

function toSeparateImageParts({
  toolName,
  toolCallId,
  content,
}: ToolResultMessage): ReturnType<typeof toContentPart>[] {
  const images = content.filter((block) => block.type === "image");
  if (images.length === 0) return [];
  return [
    { type: "text", text: `From the result of the tool ${toolName} (${toolCallId}):` },
    ...images.map(toImagePart),
  ];
}

const NO_OUTPUT = "(no output)";
const IMAGES_FOLLOW = "(its images follow in the next message)";
const IMAGES_ATTACHED = "(the result is the image beside this)";

function joinTexts(content: readonly (TextBlock | ImageBlock)[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export interface SystemUpdateOptions {
  readonly target: ModelName;
  /** The tools as they were told of last, by name; none for one that is declared and new here. */
  readonly knownTools: ReadonlyMap<string, Tool>;
}

/** A change of the system state, sent where it happened: the leading prompt is never rewritten. Null where there is nothing to tell. */
export function toSystemUpdate(
  message: SystemMessage,
  { target, knownTools }: SystemUpdateOptions,
): LanguageModelV4Message | null {
  const text = formatSystemUpdate(removeUnsupportedTools(message, target), knownTools);
  if (text === "") return null;
  if (supportsLaterSystemMessages(target)) return { role: "system", content: text };
  return { role: "user", content: [{ type: "text", text: `<system-update>\n${text}\n</system-update>` }] };
}

// A tool of the provider's own is told of where there is one.
function removeUnsupportedTools(message: SystemMessage, target: ModelName): SystemMessage {
  const { toolsAdded = [] } = message;
  return { ...message, toolsAdded: toolsAdded.filter(({ from }) => from !== "provider" || supportsWebSearch(target)) };
}

// Gemini's package throws at one; Anthropic's needs a beta that few models have; most servers of the chat protocol have
// templates that allow one only at the beginning.
function supportsLaterSystemMessages({ api, provider }: ModelName): boolean {
  return api === "openai-responses" || (api === "openai-completions" && provider === "openai");
}

function formatSystemUpdate(message: SystemMessage, knownTools: SystemUpdateOptions["knownTools"]): string {
  const { content, sections = {}, toolsAdded = [], toolsRemoved = [] } = message;
  const changedTools = toolsAdded.filter((tool) => isChangedTool(tool, knownTools.get(tool.name)));
  const contentText = typeof content === "string" ? content : content.map(({ text }) => text).join("\n");
  const sectionChanges = Object.entries(sections).map(([name, text]) =>
    text === null
      ? `The part "${name}" of your instructions holds no longer.`
      : `The part "${name}" of your instructions now reads:\n\n${text}`,
  );
  return [
    contentText,
    ...sectionChanges,
    ...formatRemovedTools(toolsRemoved),
    ...formatAddedTools(toolsAdded),
    ...changedTools.map(formatChangedTool),
  ]
    .filter(isNotBlank)
    .join("\n\n");
}

function formatRemovedTools(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.length === 0 ? [] : [`These tools are gone; do not call them: ${joinNames(tools)}.`];
}

function formatAddedTools(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.length === 0 ? [] : [`From here on you can call these tools: ${joinNames(tools)}.`];
}

// A tool is declared once, as it was first: what became of it is told in words.
function formatChangedTool({ name, description, parameters }: Tool): string {
  return `The tool ${name} is no longer what it was. ${description}\nIts parameters are now: ${JSON.stringify(parameters)}`;
}

function isChangedTool(tool: Tool, previous: Tool | undefined): boolean {
  const { description, parameters } = previous ?? tool;
  return tool.description !== description || JSON.stringify(tool.parameters) !== JSON.stringify(parameters);
}

const joinNames = (tools: readonly { readonly name: string }[]): string => tools.map(({ name }) => name).join(", ");
const isNotBlank = (text: string): boolean => text.trim() !== "";
