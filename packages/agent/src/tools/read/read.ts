/** Defines the `read` tool, which shows a page of a file, an image, a session entry or stored output. */

import type { LoadedSkill } from "@pith/context/host";
import type { PathOptions } from "../../ports.ts";
import { decodeText, detectImageType } from "../../text.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import {
  type FileToolOptions,
  parseReference,
  type ReadBytesContext,
  ReadTracker,
  readIntent,
  readLineRange,
  readPath,
  withFileBytes,
} from "../file-access.ts";
import { type DecodedFile, decodeFile, UTF_8 } from "../text-encoding.ts";
import { errorOutput, formatBytes, getPermittedPath, textOutput } from "../tool-io.ts";
import { buildPage, imageOutput } from "./pages.ts";
import { openReference } from "./references.ts";

export function readTool(options: FileToolOptions, readTracker: ReadTracker = new ReadTracker()): Tool {
  const { files } = options;
  return {
    name: "read",
    description:
      "Reads a text file or an image (png, jpeg, gif, webp), an earlier entry in this session (#412) or stored output (blob:1a2b3c4d). Shows at most 2,000 lines or 50 KB; continue with offset.",
    parameters,
    isIdempotent: true,
    isConcurrent: true,
    restoresSecrets: true,
    intent: (args) => readIntent(args, files),
    run: async (call) => {
      const path = readPath(call.arguments);
      if (path.type === "invalid") return errorOutput(path.message);
      const reference = parseReference(path.value);
      if (reference) return await openReference(reference, call, options);
      const at = files.resolve(path.value);
      const request = { call, path: path.value, at, ...getPermittedPath(at, call) };
      return await readTracker.runInOrder(request.realPath ?? at, () => readFile(request, { ...options, readTracker }));
    },
  };
}

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "A file, relative or absolute, or a reference (#… or blob:…)" },
    offset: { type: "integer", minimum: 1, description: "The first line to show, starting at 1" },
    limit: { type: "integer", minimum: 1, description: "The maximum number of lines to show" },
  },
  required: ["path"],
};

async function readFile(
  { call, path, at, realPath }: PathOptions & { readonly call: ToolCall; readonly path: string; readonly at: string },
  options: ReadBytesContext & FileToolOptions,
): Promise<ToolOutput> {
  return await withFileBytes({ at, realPath, signal: call.signal }, options, async (result) => {
    if (result.type !== "read") return errorOutput(result.message);
    const output = await renderFile(result.bytes, { ...options, path, call });
    if (output.isError === true) return output;
    const hash = await options.readTracker.remember(at, result.bytes);
    const name = options.skillAt?.(at) ?? null;
    const whole = name === null ? null : decodeText(result.bytes);
    const redactedText = whole === null ? null : (options.redaction?.redact(whole) ?? whole);
    const reference = name !== null && { reference: skillReference({ name, path: at, hash }, output, redactedText) };
    return { ...output, details: { pith: { path: at, hash, ...reference } } };
  });
}

/** Records which skill was read, and whether only a part of it was shown. */
function skillReference(skill: Omit<LoadedSkill, "kind">, { content }: ToolOutput, whole: string | null): LoadedSkill {
  const [shown] = content;
  const isWhole = shown?.type === "text" && shown.text === whole?.replaceAll("\r\n", "\n");
  return { kind: "skill", ...skill, ...(!isWhole && { part: true }) };
}

interface RenderFileOptions extends Pick<FileToolOptions, "redaction" | "shrinkImage"> {
  readonly path: string;
  readonly call: ToolCall;
}

async function renderFile(bytes: Uint8Array, options: RenderFileOptions): Promise<ToolOutput> {
  const { path, call, redaction, shrinkImage } = options;
  const { arguments: args, maxOutputBytes: maxBytes } = call;
  const kind = detectImageType(bytes);
  if (kind !== null) return await imageOutput(bytes, { name: path, mimeType: kind, shrinkImage, signal: call.signal });
  const decoded = await decodeFile(bytes);
  if (!decoded || decoded.looksBinary)
    return textOutput(`[${path} is a binary file of ${formatBytes(bytes.length)}; not shown]`);
  const text = decoded.text.replace(/^\ufeff/, "");
  const lines = readLineRange(args);
  if (lines.type === "invalid") return errorOutput(lines.message);
  const page = buildPage(redaction?.redact(text) ?? text, { path, ...lines.value, maxBytes });
  if (page.type !== "page") return errorOutput(page.message);
  const output = textOutput(page.text);
  if (decoded.encoding === UTF_8) return output;
  return { ...output, content: [...output.content, { type: "text", text: encodingNote(decoded) }] };
}

function encodingNote({ encoding, isLossless }: DecodedFile): string {
  return isLossless
    ? `[encoding: ${encoding}; edit and write keep it]`
    : `[encoding: probably ${encoding}, with invalid bytes; it cannot be edited]`;
}
