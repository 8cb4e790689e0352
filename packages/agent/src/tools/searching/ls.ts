/** The tool `ls`: the names in one folder, ignored and hidden ones too. */

import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import type { ListedName, Workspace } from "../../workspace.ts";
import { failed, sized } from "../files/output.ts";
import { answer } from "./answer.ts";
import { countOf, placeOf } from "./arguments.ts";
import { visible } from "./visible.ts";

export function lsTool({ files, search }: Pick<Workspace, "files" | "search">): Tool {
  return {
    name: "ls",
    description: "Lists a folder: folders end in /, links in @, files have their size.",
    parameters,
    isIdempotent: true,
    intent: (asked) => ({ type: "look", paths: [files.resolve(placeOf(asked))] }),
    run: (call) => ls(call, { files, search }),
  };
}

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The folder; default: the workspace" },
    limit: { type: "integer", description: "Most names; default 500" },
  },
};

const LIMIT = { unlessSaid: 500, least: 1, most: 2_000 };

async function ls(call: ToolCall, { files, search }: Pick<Workspace, "files" | "search">): Promise<ToolOutput> {
  const { arguments: asked, signal, room } = call;
  const most = countOf(asked, "limit", LIMIT);
  if (most.type === "wrong") return failed(most.message);
  const names = await search.list(files.resolve(placeOf(asked)), { signal, most: most.value });
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
