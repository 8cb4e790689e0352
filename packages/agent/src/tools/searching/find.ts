/** The tool `find`: files by their names, the newest first. */

import { visible } from "../../text/visible.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { all } from "../arguments.ts";
import { failed } from "../output.ts";
import { answer } from "./answer.ts";
import { type Count, countOf, lineOf } from "./arguments.ts";
import { lookIntent, placeOf, type SearchParts, searchAct, under } from "./place.ts";

export function findTool(parts: SearchParts): Tool {
  return {
    name: "find",
    description: "Finds files by a glob, the newest first. Leaves out ignored ones.",
    parameters,
    isIdempotent: true,
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
