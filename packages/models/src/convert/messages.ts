/** Converts user, assistant, tool-result and system messages to messages of an AI SDK prompt. */

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type {
  AssistantMessage,
  ImageBlock,
  ModelName,
  SystemMessage,
  TextBlock,
  Tool,
  ToolCallBlock,
  ToolResultMessage,
  UserMessage,
} from "@pith/context";
import { markLastPart } from "./anthropic.ts";
import { findProtocol } from "./find-protocol.ts";
import type { Protocol, ReplyContext } from "./protocol.ts";
import { escapeToolName } from "./reply-draft.ts";
import { readServerToolRun } from "./server-tools.ts";
import { supportsWebSearch } from "./web-search.ts";

type PromptMessageOf<Role> = Extract<LanguageModelV4Message, { role: Role }>;

export interface PromptTarget {
  readonly target: ModelName;
  /** Whether the search is declared. Only then are earlier search results sent back. */
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

// A changed call is sent without its signature, which would no longer match.
function sanitizeCall(block: ToolCallBlock): ToolCallBlock {
  const name = escapeToolName(block.name);
  const { thoughtSignature, ...unsigned } = block;
  return name === block.name && block.pith === undefined ? block : { ...unsigned, name };
}

export function toUserMessage({ content }: UserMessage): PromptMessageOf<"user"> {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return { role: "user", content: blocks.map(toContentPart) };
}

function toContentPart(block: TextBlock | ImageBlock): LanguageModelV4TextPart | LanguageModelV4FilePart {
  return block.type === "text" ? { type: "text", text: block.text } : toImagePart(block);
}

function toImagePart({ data, mimeType }: ImageBlock): LanguageModelV4FilePart {
  return { type: "file", mediaType: mimeType, data: { type: "data", data } };
}

export interface ToolResultItem {
  readonly message: ToolResultMessage;
  readonly isMarked: boolean;
}

/** One message with all results of a reply, since Gemini counts them, and a user message with images that results cannot carry. */
export function toToolMessages(
  results: readonly ToolResultItem[],
  target: ModelName,
): readonly LanguageModelV4Message[] {
  const protocol = findProtocol(target);
  const content = results.flatMap(({ message, isMarked }) => {
    const part = toResultPart(message, protocol);
    return isMarked ? markLastPart([part]) : [part];
  });
  const separateParts = results.flatMap(({ message }) =>
    needsSeparateImages(message, protocol) ? toSeparateImageParts(message) : [],
  );
  return [
    { role: "tool", content },
    ...(separateParts.length > 0 ? [{ role: "user" as const, content: separateParts }] : []),
  ];
}

function toResultPart(message: ToolResultMessage, protocol: Protocol): LanguageModelV4ToolResultPart {
  return {
    type: "tool-result",
    toolCallId: protocol.toCallId(message.toolCallId),
    toolName: escapeToolName(message.toolName),
    output: toResultOutput(message, protocol),
  };
}

function toResultOutput(message: ToolResultMessage, protocol: Protocol): LanguageModelV4ToolResultOutput {
  const { content, isError } = message;
  const images = content.filter((block) => block.type === "image");
  const text = joinTexts(content);
  const type = isError && protocol.supportsErrorResults ? "error-text" : "text";
  // Providers refuse a call without a result, so an empty one gets a text.
  if (images.length === 0) return { type, value: text.trim() === "" ? NO_OUTPUT : text };
  if (needsSeparateImages(message, protocol))
    return { type, value: text === "" ? IMAGES_FOLLOW : `${text}\n${IMAGES_FOLLOW}` };
  if (protocol.resultImages === "one-text")
    return { type: "content", value: [{ type: "text", text: text || IMAGES_ATTACHED }, ...images.map(toImagePart)] };
  return { type: "content", value: content.map(toContentPart) };
}

// A result with images cannot be marked as an error.
function needsSeparateImages({ isError }: ToolResultMessage, protocol: Protocol): boolean {
  return protocol.resultImages === "separate" || (isError && protocol.supportsErrorResults);
}

function toSeparateImageParts({
  toolName,
  toolCallId,
  content,
}: ToolResultMessage): ReturnType<typeof toContentPart>[] {
  const images = content.filter((block) => block.type === "image");
  if (images.length === 0) return [];
  return [
    { type: "text", text: `Images from the result of the tool ${toolName} (${toolCallId}):` },
    ...images.map(toImagePart),
  ];
}

const NO_OUTPUT = "(no output)";
const IMAGES_FOLLOW = "(images follow in the next message)";
const IMAGES_ATTACHED = "(the result is the attached image)";

function joinTexts(content: readonly (TextBlock | ImageBlock)[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export interface SystemUpdateOptions {
  readonly target: ModelName;
  /** The tools by name, as the model last saw them. A tool that is new in this message is not in it. */
  readonly knownTools: ReadonlyMap<string, Tool>;
}

/** Describes a change of the system state at the place where it happened, so that the leading prompt never changes. Null if nothing changed. */
export function toSystemUpdate(
  message: SystemMessage,
  { target, knownTools }: SystemUpdateOptions,
): LanguageModelV4Message | null {
  const text = formatSystemUpdate(removeUnsupportedTools(message, target), knownTools);
  if (text === "") return null;
  if (findProtocol(target).supportsLaterSystemMessages) return { role: "system", content: text };
  return { role: "user", content: [{ type: "text", text: `<system-update>\n${text}\n</system-update>` }] };
}

// The provider's own search is mentioned only where the provider has one.
function removeUnsupportedTools(message: SystemMessage, target: ModelName): SystemMessage {
  const { toolsAdded = [] } = message;
  return { ...message, toolsAdded: toolsAdded.filter(({ from }) => from !== "provider" || supportsWebSearch(target)) };
}

function formatSystemUpdate(message: SystemMessage, knownTools: SystemUpdateOptions["knownTools"]): string {
  const { content, sections = {}, toolsAdded = [], toolsRemoved = [] } = message;
  const changedTools = toolsAdded.filter((tool) => isChangedTool(tool, knownTools.get(tool.name)));
  const contentText = typeof content === "string" ? content : content.map(({ text }) => text).join("\n");
  const sectionChanges = Object.entries(sections).map(([name, text]) =>
    text === null
      ? `The section "${name}" of your instructions is no longer valid.`
      : `The section "${name}" of your instructions now reads:\n\n${text}`,
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
  return tools.length === 0 ? [] : [`These tools were removed; do not call them: ${joinNames(tools)}.`];
}

function formatAddedTools(tools: readonly { readonly name: string }[]): readonly string[] {
  return tools.length === 0 ? [] : [`You can now call these tools: ${joinNames(tools)}.`];
}

// A tool stays declared as it was first, to preserve the cached prefix. This text describes its change.
function formatChangedTool({ name, description, parameters }: Tool): string {
  return `The tool ${name} has changed. ${description}\nIts parameters are now: ${JSON.stringify(parameters)}`;
}

function isChangedTool(tool: Tool, previous: Tool | undefined): boolean {
  const { description, parameters } = previous ?? tool;
  return tool.description !== description || JSON.stringify(tool.parameters) !== JSON.stringify(parameters);
}

const joinNames = (tools: readonly { readonly name: string }[]): string => tools.map(({ name }) => name).join(", ");
const isNotBlank = (text: string): boolean => text.trim() !== "";
