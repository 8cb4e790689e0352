/** The tool `edit`: parts of a file replaced, all together or none. Every byte outside them stays as it was. */

import type { Tool, ToolOutput } from "../../tool.ts";
import type { Workspace, WorkspaceFiles } from "../../workspace.ts";
import { pathOf, type Replacement, replacementsOf } from "./arguments.ts";
import { replace } from "./editing/replace.ts";
import { reportOn } from "./editing/report.ts";
import { bytesWith, textFile } from "./editing/text-file.ts";
import { unifiedDiff } from "./editing/unified-diff.ts";
import { failed, said } from "./output.ts";
import { hashOf, Reads } from "./reads.ts";

export function editTool({ files }: Pick<Workspace, "files">, reads: Reads = new Reads()): Tool {
  return {
    name: "edit",
    description:
      "Replaces text in a file. Each oldText must be there exactly once and is looked up in the file as it was before the call; all edits are made, or none.",
    parameters,
    isIdempotent: false,
    run: async ({ arguments: asked, signal }) => {
      const path = pathOf(asked);
      if (path.type === "wrong") return failed(path.message);
      const edits = replacementsOf(asked);
      if (edits.type === "wrong") return failed(edits.message);
      const wish = { path: path.value, at: files.resolve(path.value), edits: edits.value, signal };
      return await reads.inTurn(wish.at, () => edit(wish, { files, reads }));
    },
  };
}

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative or absolute" },
    edits: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          oldText: { type: "string", description: "What is there, with enough around it to be there once" },
          newText: { type: "string", description: "What shall be there" },
        },
        required: ["oldText", "newText"],
      },
    },
  },
  required: ["path", "edits"],
};

interface Wish {
  readonly path: string;
  readonly at: string;
  readonly edits: readonly Replacement[];
  readonly signal: AbortSignal;
}

interface Ground {
  readonly files: WorkspaceFiles;
  readonly reads: Reads;
}

async function edit({ path, at, edits, signal }: Wish, { files, reads }: Ground): Promise<ToolOutput> {
  const before = await files.read(at, { signal });
  if (before.type !== "read") return failed(before.message);
  if ((await reads.knowledge(at, before.bytes)) === "stale") return failed(stale(path));
  const file = textFile(before.bytes);
  if (file === null) return failed(`${path} is no UTF-8 text; change it with the shell`);
  const replaced = replace(file.text, edits);
  if (replaced.type === "refused") return failed(`${path} was not changed. ${replaced.objections.join("\n")}`);
  const bytes = bytesWith(file, replaced.splices);
  const written = await files.write(at, bytes);
  if (written.type === "refused") return failed(written.message);
  const diff = unifiedDiff({ path, text: file.text, splices: replaced.splices });
  const hashes = { before: await hashOf(before.bytes), after: await reads.remember(at, bytes) };
  return said(reportOn({ path, text: file.text, ...replaced }), { diff, pith: hashes });
}

function stale(path: string): string {
  return `${path} was changed since it was read, so it was not edited; read it again`;
}
