/** Results of the calls of one reply: one message for all, since Gemini counts them; pictures where they can be seen. */

import type {
  LanguageModelV4Message,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { ImageBlock, ModelName, TextBlock, ToolResultMessage } from "@pith/context";
import { dialectOf } from "../dialects/dialect-of.ts";
import { sentName } from "../dialects/inherited-name.ts";
import { markedLast } from "./cache-marks.ts";
import { imagePart, shownPart } from "./said-parts.ts";

export interface GivenResult {
  readonly message: ToolResultMessage;
  readonly marked: boolean;
}

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
