/** The tool `ls`: the names in one folder, ignored and hidden ones too. */

import { visible } from "../../text/visible.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import type { ListedName } from "../../workspace.ts";
import { failed, sized } from "../output.ts";
import { answer } from "./answer.ts";
import { type Count, countOf } from "./arguments.ts";
import { lookIntent, placeOf, type SearchParts, searchAct } from "./place.ts";

export function lsTool(parts: SearchParts): Tool {
  return {
    name: "ls",
    description: "Lists a folder: folders end in /, links in @, files have their size.",
    parameters,
    isIdempotent: true,
    intent: (asked) => lookIntent(asked, parts),
    run: (call) => ls(call, parts),
  };
}

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The folder; default: the workspace" },
    limit: { type: "integer", description: "Most names; default 500" },
  },
};

const LIMIT: Count = { unlessSaid: 500, from: 1, most: 2_000 };

async function ls(call: ToolCall, { files, search }: SearchParts): Promise<ToolOutput> {
  const { arguments: asked, room } = call;
  const most = countOf(asked, "limit", LIMIT);
  if (most.type === "wrong") return failed(most.message);
  const path = files.resolve(placeOf(asked));
  const names = await search.list(path, searchAct(path, call, most.value));
  if (names.type !== "found") return failed(visible(names.message));
  return answer({ ...words, lines: names.found.map(shown), isAll: names.isAll }, room);
}

const words = { noun: "name", ifNone: "[an empty folder]", narrow: "look into a folder of it, or use find" };

function shown({ name, kind, bytes }: ListedName): string {
  switch (kind) {
    case "folder":
      return name;
    case "link":
      return `${name}@`;
    case "file":
      return bytes === undefined ? name : `${name}  ${sized(bytes)}`;
    case "other":
      return `${name}  (no regular file)`;
  }
}
