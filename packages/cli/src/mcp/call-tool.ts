/** Implements `mcp_call`: checks the arguments, calls one tool of one server, and converts its result. */

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ExtensionTool, ToolCall, ToolOutput } from "@pith/agent";
import type { ImageBlock, TextBlock } from "@pith/context";
import { pictureIn } from "../resources/attachments.ts";
import { isObject } from "../text/jsonc.ts";
import { plain } from "../text/safe-text.ts";
import { nearest } from "../text/usage-error.ts";
import { callable, type Servers } from "./find-tool.ts";
import { plainJson } from "./trust-question.ts";
import type { OfferedTool } from "./trusted-tools.ts";

/** Checked here, so that the model gets the error at once. Null where they fit, or where only the server can tell. */
export async function faultIn(args: Readonly<Record<string, unknown>>, schema: unknown): Promise<string | null> {
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/client/validators/ajv");
  try {
    const tried = withoutPatterns(schema);
    const checked = new AjvJsonSchemaValidator().getValidator(isObject(tried) ? tried : {})(args);
    return checked.valid ? null : checked.errorMessage;
  } catch {
    // A schema that cannot be read: then the server says itself what does not fit.
    return null;
  }
}

/** A pattern can be such that trying it never ends, and a server may want that. */
function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) => !(name === "pattern" && typeof value === "string") && name !== "patternProperties",
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutPatterns(value)]));
}

export function outputOf({ content = [], structuredContent, isError }: CallToolResult): ToolOutput {
  const blocks = content.slice(0, MOST_BLOCKS).map(blockOf);
  const rest = content.length > MOST_BLOCKS ? [text(`(${content.length - MOST_BLOCKS} more parts are left out)`)] : [];
  const all = [...blocks, ...rest, ...structured(structuredContent, blocks)];
  return { content: all.length === 0 ? [text("(it answered nothing)")] : all, ...(isError && { isError }) };
}

const MOST_BLOCKS = 50;

function blockOf(block: ContentBlock): TextBlock | ImageBlock {
  switch (block.type) {
    case "text":
      return text(block.text);
    case "image":
      return (
        pictureIn(block.data) ??
        text(`(a picture that cannot be shown: ${block.mimeType}, ${block.data.length} letters)`)
      );
    case "audio":
      return text(`(sound that cannot be heard here: ${block.mimeType})`);
    case "resource_link":
      return text(`${block.name}: ${block.uri}`);
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return text(`${resource.uri}\n${resource.text}`);
      return (
        pictureIn(resource.blob) ?? text(`(${resource.uri}: bytes that are no text, ${resource.blob.length} letters)`)
      );
    }
  }
}

/** Most servers say the same as text already. */
function structured(value: unknown, blocks: readonly (TextBlock | ImageBlock)[]): readonly TextBlock[] {
  if (value === undefined) return [];
  const whole = JSON.stringify(value);
  const isSaid = blocks.some((block) => block.type === "text" && compact(block.text) === whole);
  return isSaid ? [] : [text(whole)];
}

function compact(said: string): string | null {
  try {
    return JSON.stringify(JSON.parse(said));
  } catch {
    return null;
  }
}

function text(said: string): TextBlock {
  return { type: "text", text: plain(said) };
}

export function callTool(servers: Servers): ExtensionTool {
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
      servers.links.has(partsIn(tool).server) ? { type: "named", name: String(tool) } : { type: "nothing" },
    run: (call) => called(call, servers),
  };
}

async function called({ arguments: asked, signal, update }: ToolCall, servers: Servers): Promise<ToolOutput> {
  const { server, name } = partsIn(asked.tool);
  const args = argumentsIn(asked.arguments);
  const link = servers.links.get(server);
  if (!link) return failed(`write tool as server/name; ${servers.unknown(server)}`);
  if (args === null) return failed("arguments must be an object");
  const opened = await servers.opened(server, signal);
  if (opened.type === "failed") return failed(opened.why);
  const { tools } = callable(opened.value);
  const tool = tools.find((each) => each.name === name);
  if (!tool) return failed(unknown(name, { server, tools }));
  const fault = await faultIn(args, tool.inputSchema);
  if (fault !== null) return failed(misfit(`${server}/${name}`, fault, tool));
  const result = await link.call({ tool, arguments: args, update }, signal);
  if (result.type === "failed") return failed(result.why);
  const output = outputOf(result.value);
  return { ...output, content: [...output.content, ...link.takeRefusals().map(text)] };
}

interface Meant {
  readonly server: string;
  readonly name: string;
}

function partsIn(tool: unknown): Meant {
  const [server = "", ...rest] = String(tool ?? "").split("/");
  return { server, name: rest.join("/") };
}

/** Models send objects as text, too, and leave out what is empty. */
function argumentsIn(given: unknown): Readonly<Record<string, unknown>> | null {
  if (given === undefined || given === null || given === "") return {};
  if (isObject(given)) return given;
  if (typeof given !== "string") return null;
  try {
    const value: unknown = JSON.parse(given);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function misfit(name: string, fault: string, { inputSchema }: OfferedTool): string {
  return `${name} was not called: the arguments do not fit (${fault.slice(0, 500)}). It takes: ${plainJson(inputSchema, 8_000)}`;
}

function unknown(
  name: string,
  { server, tools }: { readonly server: string; readonly tools: readonly OfferedTool[] },
): string {
  const names = tools.map((each) => each.name);
  const near = nearest(name, names);
  const meant =
    near === null
      ? ""
      : ` Did you mean ${server}/${near}? It takes: ${plainJson(tools.find((each) => each.name === near)?.inputSchema, 4_000)}`;
  const listed = `${names.slice(0, 40).join(", ")}${names.length > 40 ? ` and ${names.length - 40} more` : ""}`;
  return `there is no tool ${JSON.stringify(name.slice(0, 80))} of ${server}.${meant} There are: ${listed}`;
}

function failed(why: string): ToolOutput {
  return { content: [{ type: "text", text: why }], isError: true };
}
