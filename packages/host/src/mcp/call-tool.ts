/** Implements `mcp_call`: checks the arguments, calls one tool of one server, and converts its result. */

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ExtensionTool, ToolCall, ToolOutput } from "@pith/agent";
import type { ImageBlock, TextBlock } from "@pith/context";
import { parseImage } from "../resources/parse-image.ts";
import { isObject } from "../text/jsonc.ts";
import { escapeControls } from "../text/safe-text.ts";
import { findNearest } from "../text/usage-error.ts";
import { createErrorOutput, type McpClientManager, selectCallableTools } from "./find-tool.ts";
import { sanitizeJson } from "./trust-question.ts";
import type { OfferedTool } from "./trust-records.ts";

/** Validates arguments before the call, so that the model gets the error immediately. Null if they are valid, or if only the server can decide. */
async function validateArguments(args: Readonly<Record<string, unknown>>, schema: unknown): Promise<string | null> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
  try {
    const safeSchema = removePatterns(schema);
    const result = new AjvJsonSchemaValidator().getValidator(isObject(safeSchema) ? safeSchema : {})(args);
    return result.valid ? null : result.errorMessage;
  } catch {
    // The schema is invalid. The server validates the arguments itself.
    return null;
  }
}

/** Removes regular expressions: a malicious server can send a pattern that never finishes matching. */
function removePatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(removePatterns);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).filter(
    ([name, value]) => !(name === "pattern" && typeof value === "string") && name !== "patternProperties",
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, removePatterns(value)]));
}

function toToolOutput({ content = [], structuredContent, isError }: CallToolResult): ToolOutput {
  const blocks = content.slice(0, MAX_BLOCKS).map(toBlock);
  const omittedNote =
    content.length > MAX_BLOCKS ? [createTextBlock(`(${content.length - MAX_BLOCKS} more parts omitted)`)] : [];
  const allBlocks = [...blocks, ...omittedNote, ...toStructuredBlocks(structuredContent, blocks)];
  return {
    content: allBlocks.length === 0 ? [createTextBlock("(the tool returned no content)")] : allBlocks,
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
        createTextBlock(`(unsupported image: ${block.mimeType}, ${block.data.length} characters of base64)`)
      );
    case "audio":
      return createTextBlock(`(audio is not supported: ${block.mimeType})`);
    case "resource_link":
      return createTextBlock(`${block.name}: ${block.uri}`);
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return createTextBlock(`${resource.uri}\n${resource.text}`);
      return (
        parseImage(resource.blob) ??
        createTextBlock(`(${resource.uri}: binary data, ${resource.blob.length} characters of base64)`)
      );
    }
  }
}

/** Returns nothing if a text block already contains the same JSON, which most servers send. */
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
    description: "Calls a tool found with mcp_find.",
    parameters: {
      type: "object",
      properties: { tool: { type: "string", description: "server/name" }, arguments: { type: "object" } },
      required: ["tool"],
    },
    isConcurrent: ({ tool }) => isReadOnly(parseToolName(tool), manager),
    // A server's annotations, such as `readOnlyHint`, permit nothing.
    // A call to an unknown server asks no question, because it fails anyway.
    intent: ({ tool }) =>
      manager.clients.has(parseToolName(tool).server) ? { type: "named", name: String(tool) } : { type: "nothing" },
    run: (call) => runCall(call, manager),
  };
}

/** Whether the server says that the tool only reads. False until the session has listed the server's tools. */
function isReadOnly({ server, name }: ToolName, { clients }: McpClientManager): boolean {
  const { tools } = selectCallableTools(clients.get(server)?.tools ?? []);
  return Object(tools.find((tool) => tool.name === name)?.annotations).readOnlyHint === true;
}

async function runCall({ arguments: input, signal, update }: ToolCall, manager: McpClientManager): Promise<ToolOutput> {
  const { server, name } = parseToolName(input.tool);
  const args = parseArguments(input.arguments);
  const client = manager.clients.get(server);
  if (!client) return createErrorOutput(`Specify the tool as server/name. ${manager.describeUnknownServer(server)}`);
  if (args === null) return createErrorOutput("The arguments must be a JSON object.");
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

/** Some models send the object as JSON text, or omit it if it is empty. Null if it is not an object. */
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
  return `${name} was not called: the arguments do not match its schema (${problem.slice(0, 500)}). It takes: ${sanitizeJson(inputSchema, 8_000)}`;
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
  return `The MCP server ${server} has no tool named ${JSON.stringify(name.slice(0, 80))}.${hint} Available tools: ${nameList}`;
}
