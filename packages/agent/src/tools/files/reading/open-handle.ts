/** What a handle opens: a blob that was kept beside the session, or an entry of it, on whatever branch. */

import { pictureKind } from "../../../bytes/picture-kind.ts";
import { HEAD, isPlainText } from "../../../bytes/text-of.ts";
import type { ToolCall, ToolOutput } from "../../../tool.ts";
import { failed, said, sized } from "../../output.ts";
import { type PageLines, pageLines } from "../arguments.ts";
import type { FileParts } from "../file-parts.ts";
import { entryWords } from "./entry-words.ts";
import type { Handle } from "./handle.ts";
import { longPage, type ReadRange } from "./long-page.ts";
import { LARGEST_PICTURE, picture, tooLargePicture } from "./picture.ts";

export type Kept = Pick<FileParts, "blobs" | "entries" | "redaction">;

export async function openHandle(handle: Handle, call: ToolCall, kept: Kept): Promise<ToolOutput> {
  const { blobs } = kept;
  const lines = pageLines(call.arguments);
  if (lines.type === "wrong") return failed(lines.message);
  const wish = { handle, call, lines: lines.value };
  if (handle.type === "entry") return await openEntry(wish, kept);
  return blobs ? await openBlob(wish, (range) => blobs.read(handle.name, range)) : failed(unkept(handle));
}

interface Wish {
  readonly handle: Handle;
  readonly call: ToolCall;
  readonly lines: PageLines;
}

async function openEntry(wish: Wish, { entries, redaction }: Kept): Promise<ToolOutput> {
  const { name, shown } = wish.handle;
  const entry = await entries?.(name);
  if (!entry) return failed(entries ? `${shown} is not in this session; copy its whole handle` : unkept(wish.handle));
  // It may come from before redaction, or from another program.
  const words = entryWords(entry);
  const bytes = new TextEncoder().encode(redaction?.redacted(words) ?? words);
  return await textPage(wish, async ({ start, end }) => ({
    type: "read",
    bytes: bytes.subarray(start, end),
    size: bytes.length,
  }));
}

async function openBlob(wish: Wish, read: ReadRange): Promise<ToolOutput> {
  const { shown } = wish.handle;
  const head = await read({ start: 0, end: HEAD });
  if (head.type !== "read") return failed(`${shown} cannot be opened: ${head.why}`);
  const kind = pictureKind(head.bytes);
  if (kind !== null) return await showPicture(wish, read, { kind, size: head.size });
  if (isPlainText(head.bytes)) return await textPage(wish, read);
  return said(`[${shown} is a binary blob of ${sized(head.size)}; it is not shown]`);
}

interface Seen {
  readonly kind: string;
  readonly size: number;
}

async function showPicture({ handle }: Wish, read: ReadRange, { kind, size }: Seen): Promise<ToolOutput> {
  if (size > LARGEST_PICTURE) return tooLargePicture(size, handle.shown, kind);
  const whole = await read({ start: 0, end: size });
  if (whole.type !== "read") return failed(`${handle.shown} cannot be opened: ${whole.why}`);
  return picture(whole.bytes, handle.shown, kind);
}

async function textPage({ handle, call, lines }: Wish, read: ReadRange): Promise<ToolOutput> {
  const page = await longPage(read, { path: handle.shown, ...lines, room: call.room, signal: call.signal });
  return page.type === "page" ? said(page.text) : failed(page.message);
}

function unkept({ shown, type }: Handle): string {
  return `${shown} cannot be opened: ${type === "blob" ? "nothing is kept beside this session" : "this session cannot be looked up"}`;
}
