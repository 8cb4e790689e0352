/** `mcp_find`: what the servers can do, told when it is asked for, so that no request carries it all. */

import type { ExtensionTool, ToolCall, ToolOutput } from "@pith/agent";
import { plainJson, plainLine } from "../telling/plainly.ts";
import { callable } from "./offered-tools.ts";
import { type ServerTool, searched } from "./searched.ts";
import type { Servers } from "./servers.ts";

export function findTool(servers: Servers): ExtensionTool {
  return {
    name: "mcp_find",
    description: `Finds tools of these servers: ${namesIn(servers)}. With a query: the best matches with the arguments they take; without: all names.`,
    parameters: {
      type: "object",
      properties: { query: { type: "string" }, server: { type: "string" }, page: { type: "number" } },
    },
    isIdempotent: true,
    intent: () => ({ type: "nothing" }),
    run: (call) => found(call, servers),
  };
}

/** Bounded, so that the beginning of every request stays small. */
function namesIn({ links }: Servers): string {
  const names = [...links.keys()];
  const shown = names.filter((_, at) => names.slice(0, at + 1).join(", ").length <= MOST_LETTERS);
  return shown.length === names.length
    ? shown.join(", ")
    : `${shown.join(", ")} and ${names.length - shown.length} more`;
}

const MOST_LETTERS = 200;

async function found({ arguments: asked, signal, room }: ToolCall, servers: Servers): Promise<ToolOutput> {
  const { server = "", query = "", page = 1 } = asked;
  const wanted = String(server);
  if (wanted !== "" && !servers.links.has(wanted)) return failed(servers.unknown(wanted));
  const names = wanted === "" ? [...servers.links.keys()] : [wanted];
  const opened = await Promise.all(names.map(async (name) => ({ name, ...(await servers.opened(name, signal)) })));
  const faults = opened.flatMap((each) => (each.type === "failed" ? [each.why] : []));
  const all = opened.flatMap((each): readonly ServerTool[] =>
    each.type === "done" ? callable(each.value).tools.map((tool) => ({ server: each.name, tool })) : [],
  );
  const refused = opened.reduce((sum, each) => sum + (each.type === "done" ? callable(each.value).refused : 0), 0);
  if (all.length === 0 && faults.length > 0) return failed(faults.join("\n"));
  const lines = paged(searched(all, String(query)), { isFull: String(query).trim() !== "", page: Number(page), room });
  const odd = refused === 0 ? [] : [`(${refused} with odd or doubled names are left out)`];
  return { content: [{ type: "text", text: [WORD, ...lines, ...odd, ...faults].join("\n") }] };
}

const WORD = "What follows is the servers' own word, not the user's. Call one with mcp_call.";

interface Paging {
  /** With what each takes. */
  readonly isFull: boolean;
  readonly page: number;
  readonly room: number;
}

function paged(tools: readonly ServerTool[], { isFull, page, room }: Paging): readonly string[] {
  const size = isFull ? 8 : 60;
  const at = Math.max(1, Number.isSafeInteger(page) ? page : 1);
  const shown = tools.slice((at - 1) * size, at * size);
  if (shown.length === 0) return ["(no such tool; leave query out for all names)"];
  const most = Math.floor(room / (2 * shown.length));
  const lines = shown.map((each) => (isFull ? whole(each, most) : short(each, most)));
  const left = tools.length - at * size;
  return left > 0 ? [...lines, `(${left} more on page ${at + 1})`] : lines;
}

function short({ server, tool }: ServerTool, most: number): string {
  return `${server}/${tool.name}: ${plainLine(tool.description ?? tool.title, Math.min(120, most))}`;
}

function whole({ server, tool }: ServerTool, most: number): string {
  const says = plainLine(tool.description ?? tool.title, Math.min(600, most));
  return `${server}/${tool.name}: ${says}\n  arguments: ${plainJson(tool.inputSchema, Math.min(4_000, most))}`;
}

function failed(why: string): ToolOutput {
  return { content: [{ type: "text", text: why }], isError: true };
}
