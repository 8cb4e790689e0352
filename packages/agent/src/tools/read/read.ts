/** Defines the `read` tool: shows a bounded page of text, an image or what a reference opens, and says how to read on. */

import type { LoadedSkill } from "@pith/context/host";
import type { Held } from "../../ports.ts";
import { pictureKind, textOf } from "../../text.ts";
import type { Tool, ToolCall, ToolOutput } from "../../tool.ts";
import { asHandle, type BytesParts, type FileParts, lookIntent, pageLines, pathOf, Reads, useBytes } from "../files.ts";
import { failed, heldAt, said, sized } from "../output.ts";
import { openHandle } from "./handles.ts";
import { pageOf, picture } from "./pages.ts";

export function readTool(parts: FileParts, reads: Reads = new Reads()): Tool {
  const { files } = parts;
  return {
    name: "read",
    description:
      "Reads a file, an earlier entry of this session (#412) or kept output (blob:1a2b3c4d): text, at most 2,000 lines or 50 KB at a time (go on with offset), or a picture (png, jpeg, gif, webp).",
    parameters,
    isIdempotent: true,
    restoresSecrets: true,
    intent: (asked) => lookIntent(asked, files),
    run: async (call) => {
      const path = pathOf(call.arguments);
      if (path.type === "wrong") return failed(path.message);
      const handle = asHandle(path.value);
      if (handle) return await openHandle(handle, call, parts);
      const at = files.resolve(path.value);
      const wish = { call, path: path.value, at, ...heldAt(at, call) };
      return await reads.inTurn(wish.real ?? at, () => read(wish, { ...parts, reads }));
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

interface Wish extends Held {
  readonly call: ToolCall;
  readonly path: string;
  readonly at: string;
}

async function read({ call, path, at, real }: Wish, parts: BytesParts & FileParts): Promise<ToolOutput> {
  return await useBytes({ at, real, signal: call.signal }, parts, async (found) => {
    if (found.type !== "read") return failed(found.message);
    const shown = shownAs(found.bytes, { path, call, redaction: parts.redaction });
    if (shown.isError === true) return shown;
    const hash = await parts.reads.remember(at, found.bytes);
    const name = parts.skillAt?.(at) ?? null;
    const whole = name === null ? null : textOf(found.bytes);
    const told = whole === null ? null : (parts.redaction?.redact(whole) ?? whole);
    const reference = name !== null && { reference: skillReference({ name, path: at, hash }, shown, told) };
    return { ...shown, details: { pith: { path: at, hash, ...reference } } };
  });
}

/** A page is no whole: only who was shown all of a skill can be shown it again. */
function skillReference(skill: Omit<LoadedSkill, "kind">, { content }: ToolOutput, whole: string | null): LoadedSkill {
  const [shown] = content;
  const isWhole = shown?.type === "text" && shown.text === whole?.replaceAll("\r\n", "\n");
  return { kind: "skill", ...skill, ...(!isWhole && { part: true }) };
}

interface Showing extends Pick<FileParts, "redaction"> {
  readonly path: string;
  readonly call: ToolCall;
}

function shownAs(bytes: Uint8Array, { path, call, redaction }: Showing): ToolOutput {
  const { arguments: asked, room } = call;
  const kind = pictureKind(bytes);
  if (kind !== null) return picture(bytes, path, kind);
  const text = textOf(bytes);
  if (text === null) return said(`[${path} is a binary file of ${sized(bytes.length)}; it is not shown]`);
  const lines = pageLines(asked);
  if (lines.type === "wrong") return failed(lines.message);
  const page = pageOf(redaction?.redact(text) ?? text, { path, ...lines.value, room });
  return page.type === "page" ? said(page.text) : failed(page.message);
}
