/** Defines the `read` tool: shows a bounded page of text, an image or what a reference opens, and says how to read on. */

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
} from "../files.ts";
import { errorOutput, formatBytes, permittedPath, textOutput } from "../output.ts";
import { buildPage, imageOutput } from "./pages.ts";
import { openReference } from "./references.ts";

export function readTool(options: FileToolOptions, readTracker: ReadTracker = new ReadTracker()): Tool {
  const { files } = options;
  return {
    name: "read",
    description:
      "Reads a file, an earlier entry of this session (#412) or kept output (blob:1a2b3c4d): text, at most 2,000 lines or 50 KB at a time (go on with offset), or a picture (png, jpeg, gif, webp).",
    parameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (args) => readIntent(args, files),
    run: async (call) => {
      const path = readPath(call.arguments);
      if (path.type === "wrong") return errorOutput(path.message);
      const handle = parseReference(path.value);
      if (handle) return await openReference(handle, call, options);
      const at = files.resolve(path.value);
      const request = { call, path: path.value, at, ...permittedPath(at, call) };
      return await readTracker.runInOrder(request.realPath ?? at, () => readFile(request, { ...options, readTracker }));
    },
  };
}

const parameters = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative or absolute, or a reference (#… or blob:…)" },
    offset: { type: "integer", minimum: 1, description: "The first line to show, counted from 1" },
    limit: { type: "integer", minimum: 1, description: "How many lines to show" },
  },
  required: ["path"],
};

interface ReadRequest extends PathOptions {
  readonly call: ToolCall;
  readonly path: string;
  readonly at: string;
}

async function readFile(
  { call, path, at, realPath }: ReadRequest,
  options: ReadBytesContext & FileToolOptions,
): Promise<ToolOutput> {
  return await withFileBytes({ at, realPath, signal: call.signal }, options, async (result) => {
    if (result.type !== "read") return errorOutput(result.message);
    const output = renderFile(result.bytes, { path, call, redaction: options.redaction });
    if (output.isError === true) return output;
    const hash = await options.readTracker.remember(at, result.bytes);
    const name = options.skillAt?.(at) ?? null;
    const whole = name === null ? null : decodeText(result.bytes);
    const redactedText = whole === null ? null : (options.redaction?.redact(whole) ?? whole);
    const reference = name !== null && { reference: skillReference({ name, path: at, hash }, output, redactedText) };
    return { ...output, details: { pith: { path: at, hash, ...reference } } };
  });
}

/** A page is no whole: only who was shown all of a skill can be shown it again. */
function skillReference(skill: Omit<LoadedSkill, "kind">, { content }: ToolOutput, whole: string | null): LoadedSkill {
  const [shown] = content;
  const isWhole = shown?.type === "text" && shown.text === whole?.replaceAll("\r\n", "\n");
  return { kind: "skill", ...skill, ...(!isWhole && { part: true }) };
}

interface RenderFileOptions extends Pick<FileToolOptions, "redaction"> {
  readonly path: string;
  readonly call: ToolCall;
}

function renderFile(bytes: Uint8Array, { path, call, redaction }: RenderFileOptions): ToolOutput {
  const { arguments: args, maxOutputBytes: maxBytes } = call;
  const kind = detectImageType(bytes);
  if (kind !== null) return imageOutput(bytes, path, kind);
  const text = decodeText(bytes);
  if (text === null) return textOutput(`[${path} is a binary file of ${formatBytes(bytes.length)}; it is not shown]`);
  const lines = readLineRange(args);
  if (lines.type === "wrong") return errorOutput(lines.message);
  const page = buildPage(redaction?.redact(text) ?? text, { path, ...lines.value, maxBytes });
  return page.type === "page" ? textOutput(page.text) : errorOutput(page.message);
}
