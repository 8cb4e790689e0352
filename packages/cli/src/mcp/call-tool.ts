/** Implements `mcp_call`: checks the arguments, calls one tool of one server, and converts its result. */

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ExtensionTool, ToolCall, ToolOutput } from "@pith/agent";
import type { ImageBlock, TextBlock } from "@pith/context";
import { parseImage } from "../resources/attachments.ts";
import { isObject } from "../text/jsonc.ts";
import { escapeControls } from "../text/safe-text.ts";
import { findNearest } from "../text/usage-error.ts";
import { type McpClientManager, selectCallableTools } from "./find-tool.ts";
import { sanitizeJson } from "./trust-question.ts";
import type { OfferedTool } from "./trusted-tools.ts";

/** Checked here, so that the model gets the error at once. Null where they fit, or where only the server can tell. */
export async function validateArguments(
  args: Readonly<Record<string, unknown>>,
  schema: unknown,
): Promise<string | null> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
  try {
    const safeSchema = removePatterns(schema);
    const result = new AjvJsonSchemaValidator().getValidator(isObject(safeSchema) ? safeSchema : {})(args);
    return result.valid ? null : result.errorMessage;
  } catch {
    // A schema that cannot be read: then the server says itself what does not fit.
    return null;
  }
}

/** A pattern can be such that trying it never ends, and a server may want that. */
function removePatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(removePatterns);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).filter(
    ([name, value]) => !(name === "pattern" && typeof value === "string") && name !== "patternProperties",
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, removePatterns(value)]));
}

export function toToolOutput({ content = [], structuredContent, isError }: CallToolResult): ToolOutput {
  const blocks = content.slice(0, MAX_BLOCKS).map(toBlock);
  const omittedNote =
    content.length > MAX_BLOCKS ? [createTextBlock(`(${content.length - MAX_BLOCKS} more parts are left out)`)] : [];
  const allBlocks = [...blocks, ...omittedNote, ...toStructuredBlocks(structuredContent, blocks)];
  return {
    content: allBlocks.length === 0 ? [createTextBlock("(it answered nothing)")] : allBlocks,
    ...(isError && { isError }),
  };
}

const MAX_BLOCKS = 50;

function toBlock(block: ContentBlock): TextBlock | ImageBlock {
  switch (block.type) {
    case "text":
      return createTextBlock(block.text);
    case "image":
      return (
        parseImage(block.data) ??
        createTextBlock(`(a picture that cannot be shown: ${block.mimeType}, ${block.data.length} letters)`)
      );
    case "audio":
      return createTextBlock(`(sound that cannot be heard here: ${block.mimeType})`);
    case "resource_link":
      return createTextBlock(`${block.name}: ${block.uri}`);
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return createTextBlock(`${resource.uri}\n${resource.text}`);
      return (
        parseImage(resource.blob) ??
        createTextBlock(`(${resource.uri}: bytes that are no text, ${resource.blob.length} letters)`)
      );
    }
  }
}

/** Most servers say the same as text already. */
function toStructuredBlocks(value: unknown, blocks: readonly (TextBlock | ImageBlock)[]): readonly TextBlock[] {
  if (value === undefined) return [];
  const json = JSON.stringify(value);
  const isRepeated = blocks.some((block) => block.type === "text" && normalizeJson(block.text) === json);
  return isRepeated ? [] : [createTextBlock(json)];
}

function normalizeJson(json: string): string | null {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return null;
  }
}

function createTextBlock(content: string): TextBlock {
  return { type: "text", text: escapeControls(content) };
}

export function createCallTool(manager: McpClientManager): ExtensionTool {
  return {
    name: "mcp_call",
    description: "Calls a tool that mcp_find named.",
    parameters: {
      type: "object",
      properties: { tool: { type: "string", description: "server/name" }, arguments: { type: "object" } },
      required: ["tool"],
    },
    // What a server says of its tools, such as that one only reads, permits nothing.
    // What is nobody's tool is refused without a question.
    intent: ({ tool }) =>
      manager.clients.has(parseToolName(tool).server) ? { type: "named", name: String(tool) } : { type: "nothing" },
    run: (call) => runCall(call, manager),
  };
}

async function runCall({ arguments: input, signal, update }: ToolCall, manager: McpClientManager): Promise<ToolOutput> {
  const { server, name } = parseToolName(input.tool);
  const args = parseArguments(input.arguments);
  const client = manager.clients.get(server);
  if (!client) return createErrorOutput(`write tool as server/name; ${manager.describeUnknownServer(server)}`);
  if (args === null) return createErrorOutput("arguments must be an object");
  const listing = await manager.listTrustedTools(server, signal);
  if (listing.type === "failed") return createErrorOutput(listing.why);
  const { tools } = selectCallableTools(listing.value);
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) return createErrorOutput(describeUnknownTool(name, { server, tools }));
  const problem = await validateArguments(args, tool.inputSchema);
  if (problem !== null) return createErrorOutput(describeMismatch(`${server}/${name}`, problem, tool));
  const result = await client.callTool({ tool, arguments: args, update }, signal);
  if (result.type === "failed") return createErrorOutput(result.why);
  const output = toToolOutput(result.value);
  return { ...output, content: [...output.content, ...client.takeRefusals().map(createTextBlock)] };
}

interface ToolName {
  readonly server: string;
  readonly name: string;
}

function parseToolName(tool: unknown): ToolName {
  const [server = "", ...nameParts] = String(tool ?? "").split("/");
  return { server, name: nameParts.join("/") };
}

/** Models send objects as text, too, and leave out what is empty. */
function parseArguments(input: unknown): Readonly<Record<string, unknown>> | null {
  if (input === undefined || input === null || input === "") return {};
  if (isObject(input)) return input;
  if (typeof input !== "string") return null;
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function describeMismatch(name: string, problem: string, { inputSchema }: OfferedTool): string {
  return `${name} was not called: the arguments do not fit (${problem.slice(0, 500)}). It takes: ${sanitizeJson(inputSchema, 8_000)}`;
}

function describeUnknownTool(
  name: string,
  { server, tools }: { readonly server: string; readonly tools: readonly OfferedTool[] },
): string {
  const names = tools.map((tool) => tool.name);
  const suggestion = findNearest(name, names);
  const hint =
    suggestion === null
      ? ""
      : ` Did you mean ${server}/${suggestion}? It takes: ${sanitizeJson(tools.find((tool) => tool.name === suggestion)?.inputSchema, 4_000)}`;
  const nameList = `${names.slice(0, 40).join(", ")}${names.length > 40 ? ` and ${names.length - 40} more` : ""}`;
  return `there is no tool ${JSON.stringify(name.slice(0, 80))} of ${server}.${hint} There are: ${nameList}`;
}

function createErrorOutput(message: string): ToolOutput {
  return { content: [{ type: "text", text: message }], isError: true };
}
