/** `mcp_call`: one tool of one server, with arguments that fit what it takes. */

import type { ExtensionTool, ToolCall, ToolOutput } from "@pith/agent";
import { nearest } from "../../asking/nearest.ts";
import { isObject } from "../../home/json.ts";
import type { OfferedTool } from "../pins/pin.ts";
import { plainJson } from "../telling/plainly.ts";
import { faultIn } from "./fault-in.ts";
import { callable } from "./offered-tools.ts";
import { outputOf } from "./result.ts";
import type { Servers } from "./servers.ts";

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
  return result.type === "done" ? outputOf(result.value) : failed(result.why);
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
