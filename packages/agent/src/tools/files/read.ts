/** The tool `read`: a page of a text, or a picture. What it shows is bounded, and it says how to read on. */

import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import type { Workspace, WorkspaceFiles } from "../../workspace.ts";
import { type Asked, lineOf, pathOf } from "./arguments.ts";
import { failed, said, sized } from "./output.ts";
import { pageOf } from "./reading/page.ts";
import { pictureKind } from "./reading/picture-kind.ts";
import { textOf } from "./reading/text-of.ts";
import { Reads } from "./reads.ts";

export function readTool({ files }: Pick<Workspace, "files">, reads: Reads = new Reads()): Tool {
  return {
    name: "read",
    description:
      "Reads a file: text, at most 2,000 lines or 50 KB at a time (go on with offset), or a picture (png, jpeg, gif, webp).",
    parameters,
    isIdempotent: true,
    run: async (call) => {
      const path = pathOf(call.arguments);
      if (path.type === "wrong") return failed(path.message);
      const at = files.resolve(path.value);
      return await reads.inTurn(at, () => read({ call, path: path.value, at }, { files, reads }));
    },
  };
}

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative or absolute" },
    offset: { type: "integer", minimum: 1, description: "The first line to show, counted from 1" },
    limit: { type: "integer", minimum: 1, description: "How many lines to show" },
  },
  required: ["path"],
};

interface Wish {
  readonly call: ToolCall;
  readonly path: string;
  readonly at: string;
}

interface Ground {
  readonly files: WorkspaceFiles;
  readonly reads: Reads;
}

async function read({ call, path, at }: Wish, { files, reads }: Ground): Promise<ToolOutput> {
  const found = await files.read(at, { signal: call.signal });
  if (found.type !== "read") return failed(found.message);
  const shown = shownAs(found.bytes, path, call.arguments);
  if (shown.isError === true) return shown;
  return { ...shown, details: { pith: { hash: await reads.remember(at, found.bytes) } } };
}

function shownAs(bytes: Uint8Array, path: string, asked: Asked): ToolOutput {
  const kind = pictureKind(bytes);
  if (kind !== null) return picture(bytes, path, kind);
  const text = textOf(bytes);
  if (text === null) return said(`[${path} is a binary file of ${sized(bytes.length)}; it is not shown]`);
  const offset = lineOf(asked, "offset");
  const limit = lineOf(asked, "limit");
  if (offset.type === "wrong") return failed(offset.message);
  if (limit.type === "wrong") return failed(limit.message);
  const page = pageOf(text, { path, offset: offset.value ?? 1, ...(limit.value !== null && { limit: limit.value }) });
  return page.type === "page" ? said(page.text) : failed(page.message);
}

function picture(bytes: Uint8Array, path: string, mimeType: string): ToolOutput {
  if (bytes.length > LARGEST_PICTURE) {
    return said(
      `[${path} is a picture (${mimeType}) of ${sized(bytes.length)}; more than ${sized(LARGEST_PICTURE)} cannot be shown]`,
    );
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  const name = `[${path}: ${mimeType}, ${sized(bytes.length)}]`;
  return {
    content: [
      { type: "text", text: name },
      { type: "image", data, mimeType },
    ],
  };
}

// Providers refuse a picture over 5 MB, counted in base64.
const LARGEST_PICTURE = 3.75 * 1024 * 1024;
