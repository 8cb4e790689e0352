/** Defines the `find` tool (files by glob, newest first) and the `ls` tool (all names in a folder, ignored and hidden ones too). */

import type { FolderEntry } from "../../ports.ts";
import { escapeInvisible } from "../../text.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { combineArguments } from "../arguments.ts";
import { errorOutput, formatBytes } from "../output.ts";
import {
  buildSearchResult,
  type CountLimits,
  createSearchOptions,
  joinPath,
  readCount,
  readIntent,
  readSearchPath,
  readSingleLine,
  type SearchToolOptions,
} from "./search.ts";

export function findTool(options: SearchToolOptions): Tool {
  return {
    name: "find",
    description: "Finds files by a glob, the newest first. Leaves out ignored ones.",
    parameters: findParameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (args) => readIntent(args, options),
    run: (call) => runFind(call, options),
  };
}

const findParameters = {
  type: "object",
  properties: {
    glob: { type: "string", description: "Such as *.ts (in any folder) or src/**/*.test.ts" },
    path: { type: "string", description: "The folder; default: the workspace" },
    limit: { type: "integer", description: "Most files; default 1,000" },
  },
  required: ["glob"],
};

const FIND_LIMIT: CountLimits = { defaultValue: 1_000, minimum: 1, maximum: 2_000 };

async function runFind(call: ToolCall, { files, search }: SearchToolOptions): Promise<ToolOutput> {
  const { arguments: args, maxOutputBytes } = call;
  const input = combineArguments({ glob: readSingleLine(args, "glob"), most: readCount(args, "limit", FIND_LIMIT) });
  if (input.type === "wrong") return errorOutput(input.message);
  const { glob, most: maxResults } = input.value;
  const folder = files.resolve(readSearchPath(args));
  const result = await search.find({ folder, glob }, createSearchOptions(folder, call, maxResults));
  if (result.type !== "found") return errorOutput(escapeInvisible(result.message));
  return buildSearchResult(
    {
      ...findTexts,
      lines: result.items.map((path) => joinPath(readSearchPath(args), path)),
      isComplete: result.isComplete,
    },
    maxOutputBytes,
  );
}

const findTexts = {
  noun: "file",
  ifNone: "[no such file; ignored ones are left out unless path names their folder, and those that may not be read]",
  narrow: "narrow glob or path",
};

export function lsTool(options: SearchToolOptions): Tool {
  return {
    name: "ls",
    description: "Lists a folder: folders end in /, links in @, files have their size.",
    parameters: lsParameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (args) => readIntent(args, options),
    run: (call) => runLs(call, options),
  };
}

const lsParameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The folder; default: the workspace" },
    limit: { type: "integer", description: "Most names; default 500" },
  },
};

const LS_LIMIT: CountLimits = { defaultValue: 500, minimum: 1, maximum: 2_000 };

async function runLs(call: ToolCall, { files, search }: SearchToolOptions): Promise<ToolOutput> {
  const { arguments: args, maxOutputBytes } = call;
  const maxResults = readCount(args, "limit", LS_LIMIT);
  if (maxResults.type === "wrong") return errorOutput(maxResults.message);
  const path = files.resolve(readSearchPath(args));
  const result = await search.list(path, createSearchOptions(path, call, maxResults.value));
  if (result.type !== "found") return errorOutput(escapeInvisible(result.message));
  return buildSearchResult(
    { ...lsTexts, lines: result.items.map(formatEntry), isComplete: result.isComplete },
    maxOutputBytes,
  );
}

const lsTexts = { noun: "name", ifNone: "[an empty folder]", narrow: "look into a folder of it, or use find" };

function formatEntry({ name, kind, bytes }: FolderEntry): string {
  switch (kind) {
    case "folder":
      return name;
    case "link":
      return `${name}@`;
    case "file":
      return bytes === undefined ? name : `${name}  ${formatBytes(bytes)}`;
    case "other":
      return `${name}  (no regular file)`;
  }
}
