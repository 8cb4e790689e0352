/** Defines the `write` tool: creates a file, or replaces one whose current content the model has seen. */

import type { FileRead } from "../../ports.ts";
import type { Tool, ToolOutput } from "../../tool.ts";
import {
  type BytesWish,
  changeIntent,
  contentOf,
  type FileParts,
  Reads,
  type ReplaceParts,
  replaceFile,
  useBytes,
  writablePathOf,
} from "../files.ts";
import { counted, failed, heldAt, said, sized } from "../output.ts";

export function writeTool(parts: FileParts, reads: Reads = new Reads()): Tool {
  const { files } = parts;
  return {
    name: "write",
    description:
      "Writes a whole file, with its folders. A file that exists must have been read before. To change a part, use edit.",
    parameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (asked) => changeIntent(asked, files),
    run: async (call) => {
      const { arguments: asked, signal } = call;
      const path = writablePathOf(asked);
      if (path.type === "wrong") return failed(path.message);
      const content = contentOf(asked);
      if (content.type === "wrong") return failed(content.message);
      const at = files.resolve(path.value);
      const wish = { path: path.value, at, ...heldAt(at, call), text: content.value, signal };
      return await reads.inTurn(wish.real ?? at, () => write(wish, { ...parts, reads }));
    },
  };
}

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative or absolute" },
    content: { type: "string", description: "All that the file shall have" },
  },
  required: ["path", "content"],
};

interface Wish extends BytesWish {
  readonly path: string;
  readonly text: string;
}

async function write(wish: Wish, parts: ReplaceParts): Promise<ToolOutput> {
  const { at, real, signal } = wish;
  return await useBytes({ at, real, signal }, parts, (before) => writeOver(before, wish, parts));
}

async function writeOver(before: FileRead, wish: Wish, parts: ReplaceParts): Promise<ToolOutput> {
  const { path, at, real, text } = wish;
  if (before.type !== "read" && before.type !== "missing") return failed(before.message);
  const bytes = new TextEncoder().encode(text);
  const old = before.type === "read" ? before.bytes : null;
  // Running it twice does no more than once: what is there already was written, by whomever.
  const objection = old && Buffer.compare(old, bytes) !== 0 ? await objectionTo(old, wish, parts.reads) : null;
  if (objection !== null) return failed(objection);
  const replaced = await replaceFile({ path: at, real, before: old, after: bytes }, parts);
  if (replaced.type === "refused") return failed(replaced.message);
  const size = `${counted(linesIn(text), "line")}, ${sized(bytes.length)}`;
  const did = old ? `Replaced ${path}: ${size} (before: ${sized(old.length)}).` : `Created ${path}: ${size}.`;
  return said(did, { pith: replaced.change });
}

async function objectionTo(
  old: Uint8Array,
  { path, at }: Pick<Wish, "path" | "at">,
  reads: Reads,
): Promise<string | null> {
  switch (await reads.knowledge(at, old)) {
    case "fresh":
      return null;
    case "unread":
      return `${path} exists (${sized(old.length)}) and was not read; read it first, then write it, or use edit`;
    case "stale":
      return `${path} was changed since it was read; read it again before writing it`;
  }
}

function linesIn(text: string): number {
  if (text === "") return 0;
  const breaks = text.split("\n").length - 1;
  return text.endsWith("\n") ? breaks : breaks + 1;
}
