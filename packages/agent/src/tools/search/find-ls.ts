/** Defines the `find` tool (files by glob, newest first) and the `ls` tool (all names in a folder, ignored and hidden ones too). */

import type { ListedName } from "../../ports.ts";
import { visible } from "../../text.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { all } from "../arguments.ts";
import { failed, sized } from "../output.ts";
import {
  answer,
  type Count,
  countOf,
  lineOf,
  lookIntent,
  placeOf,
  type SearchParts,
  searchAct,
  under,
} from "./search.ts";

export function findTool(parts: SearchParts): Tool {
  return {
    name: "find",
    description: "Finds files by a glob, the newest first. Leaves out ignored ones.",
    parameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (asked) => lookIntent(asked, parts),
    run: (call) => find(call, parts),
  };
}

const parameters = {
  type: "object",
  properties: {
    glob: { type: "string", description: "Such as *.ts (in any folder) or src/**/*.test.ts" },
    path: { type: "string", description: "The folder; default: the workspace" },
    limit: { type: "integer", description: "Most files; default 1,000" },
  },
  required: ["glob"],
};

const LIMIT: Count = { unlessSaid: 1_000, from: 1, most: 2_000 };

async function find(call: ToolCall, { files, search }: SearchParts): Promise<ToolOutput> {
  const { arguments: asked, room } = call;
  const wish = all({ glob: lineOf(asked, "glob"), most: countOf(asked, "limit", LIMIT) });
  if (wish.type === "wrong") return failed(wish.message);
  const { glob, most } = wish.value;
  const folder = files.resolve(placeOf(asked));
  const paths = await search.find({ folder, glob }, searchAct(folder, call, most));
  if (paths.type !== "found") return failed(visible(paths.message));
  return answer({ ...words, lines: paths.found.map((path) => under(placeOf(asked), path)), isAll: paths.isAll }, room);
}

const words = {
  noun: "file",
  ifNone: "[no such file; ignored ones are left out unless path names their folder, and those that may not be read]",
  narrow: "narrow glob or path",
};

export function lsTool(parts: SearchParts): Tool {
  return {
    name: "ls",
    description: "Lists a folder: folders end in /, links in @, files have their size.",
    parameters: lsParameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (asked) => lookIntent(asked, parts),
    run: (call) => ls(call, parts),
  };
}

const lsParameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The folder; default: the workspace" },
    limit: { type: "integer", description: "Most names; default 500" },
  },
};

const LS_LIMIT: Count = { unlessSaid: 500, from: 1, most: 2_000 };

async function ls(call: ToolCall, { files, search }: SearchParts): Promise<ToolOutput> {
  const { arguments: asked, room } = call;
  const most = countOf(asked, "limit", LS_LIMIT);
  if (most.type === "wrong") return failed(most.message);
  const path = files.resolve(placeOf(asked));
  const names = await search.list(path, searchAct(path, call, most.value));
  if (names.type !== "found") return failed(visible(names.message));
  return answer({ ...lsTexts, lines: names.found.map(shown), isAll: names.isAll }, room);
}

const lsTexts = { noun: "name", ifNone: "[an empty folder]", narrow: "look into a folder of it, or use find" };

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
