/** Opens references: a stored blob, or an entry of the session on any branch. */

import type { Entry, Redaction } from "@pith/context";
import { blobReference, damageNote, isBlobHash, MIN_BLOB_DIGITS } from "@pith/context/host";
import type { BlobStore } from "../../ports.ts";
import { detectImageType, isPlainText, TEXT_SAMPLE_BYTES } from "../../text.ts";
import type { ToolCall, ToolOutput } from "../../tool.ts";
import { type EntryLookup, findCall, isResultEntry } from "../call-results.ts";
import { entryText } from "../entry-text.ts";
import { type FileToolOptions, type LineRange, type Reference, readLineRange } from "../file-access.ts";
import { errorOutput, formatBytes, invalid, type ParsedArgument, textOutput, valid } from "../tool-io.ts";
import { imageOutput, MAX_IMAGE_SOURCE_BYTES, type ReadRange, readLongPage, tooLargeImageOutput } from "./pages.ts";

export type ReferenceSources = Pick<FileToolOptions, "blobs" | "entries" | "redaction" | "shrinkImage">;

export async function openReference(
  reference: Reference,
  call: ToolCall,
  sources: ReferenceSources,
): Promise<ToolOutput> {
  const { blobs } = sources;
  const lines = readLineRange(call.arguments);
  if (lines.type === "invalid") return errorOutput(lines.message);
  const request = { reference, call, lines: lines.value, shrinkImage: sources.shrinkImage };
  if (reference.type !== "blob") return await openEntry(request, sources);
  if (!blobs) return errorOutput(unavailableMessage(reference));
  const hash = await findHash(reference, blobs);
  if (hash.type === "invalid") return errorOutput(`${reference.text} cannot be opened: ${hash.message}`);
  return await openBlob(request, (range) => blobs.read(hash.value, range));
}

async function findHash({ name }: Reference, blobs: BlobStore): Promise<ParsedArgument<string>> {
  const digits = name.toLowerCase();
  const isWhole: boolean = isBlobHash(digits);
  if (isWhole) return valid(digits);
  if (!/^[0-9a-f]{1,64}$/.test(digits)) return invalid("give the hexadecimal digits of its hash");
  if (digits.length < MIN_BLOB_DIGITS) return invalid(`give at least the first ${MIN_BLOB_DIGITS} digits of its hash`);
  const result = await blobs.findByPrefix(digits);
  if (result.type === "unavailable") return invalid(result.why);
  const [first, second] = result.blobs;
  if (!first) return invalid("no blob with this hash is stored, or it was deleted");
  return second ? invalid(listCandidates(result.blobs)) : valid(first.hash);
}

function listCandidates(blobs: readonly { readonly hash: string; readonly bytes: number }[]): string {
  const hashes = blobs.map(({ hash }) => hash);
  const listed = blobs
    .slice(0, MAX_LISTED)
    .map(({ hash, bytes }) => `\n${blobReference(hash, uniqueDigitCount(hash, hashes))} (${formatBytes(bytes)})`);
  const more = blobs.length > listed.length ? `\nand ${blobs.length - listed.length} more` : "";
  return `${blobs.length} blobs start with these digits. Read one of them:${listed.join("")}${more}`;
}

const MAX_LISTED = 20;

function uniqueDigitCount(hash: string, all: readonly string[]): number {
  let digits = MIN_BLOB_DIGITS;
  while (all.some((other) => other !== hash && other.startsWith(hash.slice(0, digits)))) digits += 1;
  return digits;
}

interface OpenRequest {
  readonly reference: Reference;
  readonly call: ToolCall;
  readonly lines: LineRange;
  readonly shrinkImage: FileToolOptions["shrinkImage"];
}

async function openEntry(request: OpenRequest, { entries, redaction }: ReferenceSources): Promise<ToolOutput> {
  const { type, name, text: referenceText } = request.reference;
  if (!entries) return errorOutput(unavailableMessage(request.reference));
  const entry = await (type === "number" ? entries.entryByNumber(Number(name)) : entries.entry(name));
  if (!entry) return errorOutput(`${referenceText} is not in this session; check the reference`);
  return await showEntry(entry, request, { entries, redaction });
}

export type ShowEntryOptions = Pick<OpenRequest, "call" | "lines"> & {
  readonly reference: Pick<Reference, "text">;
};

/** Shows a page of an entry's text. The result of a tool is shown with its call. */
export async function showEntry(
  entry: Entry,
  options: ShowEntryOptions,
  { entries, redaction }: { readonly entries: Pick<EntryLookup, "entry">; readonly redaction: Redaction | undefined },
): Promise<ToolOutput> {
  const damage = entry.type === "gap" || entry.type === "unknown" ? damageNote(entry) : null;
  if (damage !== null) return errorOutput(damage);
  if (entry.type === "gap") return errorOutput(`${options.reference.text} is damaged and cannot be read`);
  // The entry may be older than redaction or come from another program.
  const text = entryText(entry, isResultEntry(entry) ? await findCall(entry, entries) : null);
  const bytes = new TextEncoder().encode(redaction?.redact(text) ?? text);
  return await readTextPage(options, async ({ start, end }) => ({
    type: "read",
    bytes: bytes.subarray(start, end),
    size: bytes.length,
  }));
}

async function openBlob(request: OpenRequest, read: ReadRange): Promise<ToolOutput> {
  const { text: referenceText } = request.reference;
  const head = await read({ start: 0, end: TEXT_SAMPLE_BYTES });
  if (head.type !== "read") return errorOutput(`${referenceText} cannot be opened: ${head.why}`);
  const kind = detectImageType(head.bytes);
  if (kind !== null) return await showImage(request, read, { kind, size: head.size });
  if (isPlainText(head.bytes)) return await readTextPage(request, read);
  return textOutput(`[${referenceText} is a binary blob of ${formatBytes(head.size)}; not shown]`);
}

async function showImage(
  { reference, call, shrinkImage }: OpenRequest,
  read: ReadRange,
  { kind, size }: { readonly kind: string; readonly size: number },
): Promise<ToolOutput> {
  const options = { name: reference.text, mimeType: kind, shrinkImage, signal: call.signal };
  if (size > MAX_IMAGE_SOURCE_BYTES)
    return tooLargeImageOutput(size, options, `the limit is ${formatBytes(MAX_IMAGE_SOURCE_BYTES)}`);
  const whole = await read({ start: 0, end: size });
  if (whole.type !== "read") return errorOutput(`${reference.text} cannot be opened: ${whole.why}`);
  return await imageOutput(whole.bytes, options);
}

async function readTextPage({ reference, call, lines }: ShowEntryOptions, read: ReadRange): Promise<ToolOutput> {
  const page = await readLongPage(read, {
    path: reference.text,
    ...lines,
    maxBytes: call.maxOutputBytes,
    signal: call.signal,
  });
  return page.type === "page" ? textOutput(page.text) : errorOutput(page.message);
}

function unavailableMessage({ text, type }: Reference): string {
  return `${text} cannot be opened: ${type === "blob" ? "this session has no stored output" : "this session's entries are not available"}`;
}
