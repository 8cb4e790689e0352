/** The tool `edit`: parts of a file replaced, all together or none. Every byte outside them stays as it was. */

import type { Tool, ToolOutput } from "../../tool.ts";
import type { FileRead } from "../../workspace.ts";
import { heldAt } from "../held.ts";
import { failed, said } from "../output.ts";
import { type Replacement, replacementsOf, writablePathOf } from "./arguments.ts";
import { replace } from "./editing/replace.ts";
import { reportOn } from "./editing/report.ts";
import { bytesWith, textFile } from "./editing/text-file.ts";
import { unifiedDiff } from "./editing/unified-diff.ts";
import type { FileParts } from "./file-parts.ts";
import { changeIntent } from "./intents.ts";
import { Reads } from "./reads.ts";
import { type ReplaceParts, replaceFile } from "./replace-file.ts";
import { type BytesWish, useBytes } from "./use-bytes.ts";

export function editTool(parts: FileParts, reads: Reads = new Reads()): Tool {
  const { files } = parts;
  return {
    name: "edit",
    description:
      "Replaces text in a file. Each oldText must be there exactly once and is looked up in the file as it was before the call; all edits are made, or none.",
    parameters,
    isIdempotent: false,
    intent: (asked) => changeIntent(asked, files),
    run: async (call) => {
      const { arguments: asked, signal } = call;
      const path = writablePathOf(asked);
      if (path.type === "wrong") return failed(path.message);
      const edits = replacementsOf(asked);
      if (edits.type === "wrong") return failed(edits.message);
      const at = files.resolve(path.value);
      const wish = { path: path.value, at, ...heldAt(at, call), edits: edits.value, signal };
      return await reads.inTurn(wish.real ?? at, () => edit(wish, { ...parts, reads }));
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

interface Wish extends BytesWish {
  readonly path: string;
  readonly edits: readonly Replacement[];
}

async function edit(wish: Wish, parts: ReplaceParts): Promise<ToolOutput> {
  const { at, real, signal } = wish;
  return await useBytes({ at, real, signal }, parts, (before) => editIn(before, wish, parts));
}

async function editIn(before: FileRead, wish: Wish, parts: ReplaceParts): Promise<ToolOutput> {
  const { path, at, real, edits, signal } = wish;
  if (before.type !== "read") return failed(before.message);
  if ((await parts.reads.knowledge(at, before.bytes)) === "stale") return failed(stale(path));
  const file = textFile(before.bytes);
  if (file === null) return failed(`${path} is no UTF-8 text; change it with the shell`);
  const edited = await replace(file.text, edits, { signal, redaction: parts.redaction });
  if (edited.type === "refused") return failed(`${path} was not changed. ${edited.objections.join("\n")}`);
  const after = bytesWith(file, edited.splices);
  const replaced = await replaceFile({ path: at, real, before: before.bytes, after }, parts);
  if (replaced.type === "refused") return failed(replaced.message);
  const diff = unifiedDiff({ path, text: file.text, splices: edited.splices });
  return said(reportOn({ path, text: file.text, ...edited }), { diff, pith: replaced.change });
}

function stale(path: string): string {
  return `${path} was changed since it was read, so it was not edited; read it again`;
}
