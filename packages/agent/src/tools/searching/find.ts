/** The tool `find`: files by their names, the newest first. */

import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import type { Workspace } from "../../workspace.ts";
import { failed } from "../files/output.ts";
import { answer } from "./answer.ts";
import { all, countOf, placeOf, textOf } from "./arguments.ts";
import { under } from "./under.ts";
import { visible } from "./visible.ts";

export function findTool({ files, search }: Pick<Workspace, "files" | "search">): Tool {
  return {
    name: "find",
    description: "Finds files by a glob, the newest first. Leaves out ignored ones.",
    parameters,
    isIdempotent: true,
    intent: (asked) => ({ type: "look", paths: [files.resolve(placeOf(asked))] }),
    run: (call) => find(call, { files, search }),
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

const LIMIT = { unlessSaid: 1_000, least: 1, most: 2_000 };

async function find(call: ToolCall, { files, search }: Pick<Workspace, "files" | "search">): Promise<ToolOutput> {
  const { arguments: asked, signal, room } = call;
  const wish = all({ glob: textOf(asked, "glob"), most: countOf(asked, "limit", LIMIT) });
  if (wish.type === "wrong") return failed(wish.message);
  const { glob, most } = wish.value;
  const paths = await search.find({ folder: files.resolve(placeOf(asked)), glob }, { signal, most });
  if (paths.type !== "found") return failed(visible(paths.message));
  return answer({ ...words, lines: paths.found.map((path) => under(placeOf(asked), path)), isAll: paths.isAll }, room);
}

const words = {
  noun: "file",
  ifNone: "[no such file; ignored ones are left out unless path names their folder]",
  narrow: "narrow glob or path",
};
