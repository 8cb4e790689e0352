/** Defines the `write` tool, which creates a file, or replaces one whose current content the model has read. */

import type { FileReadResult } from "../ports.ts";
import type { Tool, ToolOutput } from "../tool.ts";
import { keepFileFormat, parseTextFile } from "./edit/text-file.ts";
import {
  changeIntent,
  type FileToolOptions,
  type ReadBytesOptions,
  ReadTracker,
  type ReplaceFileContext,
  readContent,
  readWritablePath,
  replaceFile,
  withFileBytes,
} from "./file-access.ts";
import { type DecodedFile, decodeFile, describeUnencodable, encodeText, UTF_8 } from "./text-encoding.ts";
import { errorOutput, formatBytes, formatCount, getPermittedPath, textOutput } from "./tool-io.ts";

export function writeTool(options: FileToolOptions, readTracker: ReadTracker = new ReadTracker()): Tool {
  const { files } = options;
  return {
    name: "write",
    description:
      "Writes a whole file and creates missing folders. An existing file must be read first. Use edit to change part of a file.",
    parameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (args) => changeIntent(args, files),
    run: async (call) => {
      const { arguments: args, signal } = call;
      const path = readWritablePath(args);
      if (path.type === "invalid") return errorOutput(path.message);
      const content = readContent(args);
      if (content.type === "invalid") return errorOutput(content.message);
      const at = files.resolve(path.value);
      const request = { path: path.value, at, ...getPermittedPath(at, call), text: content.value, signal };
      return await readTracker.runInOrder(request.realPath ?? at, () =>
        writeFile(request, { ...options, readTracker }),
      );
    },
  };
}

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative or absolute" },
    content: { type: "string", description: "The full content of the file" },
  },
  required: ["path", "content"],
};

interface WriteRequest extends ReadBytesOptions {
  readonly path: string;
  readonly text: string;
}

async function writeFile(request: WriteRequest, context: ReplaceFileContext): Promise<ToolOutput> {
  const { at, realPath, signal } = request;
  return await withFileBytes({ at, realPath, signal }, context, (current) => replaceContent(current, request, context));
}

async function replaceContent(
  current: FileReadResult,
  request: WriteRequest,
  context: ReplaceFileContext,
): Promise<ToolOutput> {
  const { path, at, realPath, text } = request;
  if (current.type !== "read" && current.type !== "missing") return errorOutput(current.message);
  const oldBytes = current.type === "read" ? current.bytes : null;
  const encoded = await encodeLike(text, oldBytes && (await decodeFile(oldBytes)));
  if (encoded.type === "refused") return errorOutput(`${path} was not written: ${encoded.message}`);
  const { bytes } = encoded;
  // Writing identical content is always allowed, so that a repeated call succeeds.
  const objection =
    oldBytes && Buffer.compare(oldBytes, bytes) !== 0
      ? await findObjection(oldBytes, request, context.readTracker)
      : null;
  if (objection !== null) return errorOutput(objection);
  const replaceResult = await replaceFile({ path: at, realPath, before: oldBytes, after: bytes }, context);
  if (replaceResult.type === "refused") return errorOutput(replaceResult.message);
  const size = `${formatCount(countLines(text), "line")}, ${formatBytes(bytes.length)}`;
  const summary = oldBytes
    ? `Replaced ${path}: ${size} (was ${formatBytes(oldBytes.length)}).${encoded.note}`
    : `Created ${path}: ${size}.`;
  return textOutput(summary, { pith: replaceResult.change });
}

type EncodeLikeResult =
  /** `note` says what of the old file was kept; empty for UTF-8 without anything special. */
  | { readonly type: "encoded"; readonly bytes: Uint8Array; readonly note: string }
  | { readonly type: "refused"; readonly message: string };

/** FILE31: a replaced file keeps its encoding, its byte order mark and its line ends. Binary data is replaced by UTF-8. */
async function encodeLike(text: string, old: DecodedFile | null): Promise<EncodeLikeResult> {
  const { encoding } = old ?? { encoding: UTF_8 };
  const formatted = old ? keepFileFormat(text, parseTextFile(old.text)) : text;
  const result = await encodeText(formatted, encoding);
  if (result.type === "unencodable")
    return { type: "refused", message: describeUnencodable("content", result.character, encoding) };
  const kept = [
    ...(encoding === UTF_8 ? [] : [`the encoding ${encoding}`]),
    ...(formatted.length > text.length && formatted.includes("\r\n") ? ["the line ends CRLF"] : []),
  ];
  return { ...result, note: kept.length === 0 ? "" : ` Kept ${kept.join(" and ")}.` };
}

async function findObjection(
  oldBytes: Uint8Array,
  { path, at }: Pick<WriteRequest, "path" | "at">,
  readTracker: ReadTracker,
): Promise<string | null> {
  switch (await readTracker.readState(at, oldBytes)) {
    case "fresh":
      return null;
    case "unread":
      return `${path} exists (${formatBytes(oldBytes.length)}) and was not read; read it before writing it, or use edit`;
    case "stale":
      return `${path} has changed since it was read; read it again before writing it`;
  }
}

function countLines(text: string): number {
  if (text === "") return 0;
  const breaks = text.split("\n").length - 1;
  return text.endsWith("\n") ? breaks : breaks + 1;
}
