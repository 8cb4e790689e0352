/** Opens references: a stored blob, or an entry of the session on any branch. */

import type { AgentMessage, BashExecutionMessage, Entry, UserMessage } from "@pith/context";
import {
  blobReference,
  damageNote,
  describeAttachment,
  entryReference,
  isBlobHash,
  MIN_BLOB_DIGITS,
  splitContent,
} from "@pith/context/host";
import type { BlobStore } from "../../ports.ts";
import { detectImageType, isPlainText, TEXT_SAMPLE_BYTES } from "../../text.ts";
import type { ToolCall, ToolOutput } from "../../tool.ts";
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
  const damage = entry.type === "gap" || entry.type === "unknown" ? damageNote(entry) : null;
  if (damage !== null) return errorOutput(damage);
  if (entry.type === "gap") return errorOutput(`${referenceText} is damaged and cannot be read`);
  // The entry may be older than redaction or come from another program.
  const text = entryText(entry);
  const bytes = new TextEncoder().encode(redaction?.redact(text) ?? text);
  return await readTextPage(request, async ({ start, end }) => ({
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

interface ImageInfo {
  readonly kind: string;
  readonly size: number;
}

async function showImage(
  { reference, call, shrinkImage }: OpenRequest,
  read: ReadRange,
  { kind, size }: ImageInfo,
): Promise<ToolOutput> {
  const options = { name: reference.text, mimeType: kind, shrinkImage, signal: call.signal };
  if (size > MAX_IMAGE_SOURCE_BYTES)
    return tooLargeImageOutput(size, options, `the limit is ${formatBytes(MAX_IMAGE_SOURCE_BYTES)}`);
  const whole = await read({ start: 0, end: size });
  if (whole.type !== "read") return errorOutput(`${reference.text} cannot be opened: ${whole.why}`);
  return await imageOutput(whole.bytes, options);
}

async function readTextPage({ reference, call, lines }: OpenRequest, read: ReadRange): Promise<ToolOutput> {
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

/** The text of an entry, after a line that names it. */
export function entryText(entry: Entry): string {
  const { kind, text } = describeEntry(entry);
  return `[${entryReference(entry)}: ${kind}${text === "" ? ", without text" : ""}]\n${text}`;
}

interface EntryDescription {
  readonly kind: string;
  readonly text: string;
}

function describeEntry(entry: Entry): EntryDescription {
  switch (entry.type) {
    case "message":
      return describeMessage(entry.message);
    case "compaction":
    case "branch_summary":
      return { kind: entry.type, text: entry.summary };
    case "custom_message":
      return { kind: entry.customType, text: contentText(entry.content) };
    case "gap":
      return { kind: "gap", text: entry.why };
    case "context_edit":
    case "model_change":
    case "thinking_level_change":
    case "active_tools_change":
    case "label":
    case "session_info":
    case "usage":
    case "custom":
    case "unknown":
      return { kind: entry.type, text: "" };
  }
}

function describeMessage(message: AgentMessage): EntryDescription {
  switch (message.role) {
    case "bashExecution":
      return describeShellCommand(message);
    case "compactionSummary":
    case "branchSummary":
      return { kind: message.role, text: message.summary };
    case "toolResult":
      return { kind: resultKind(message), text: contentText(message.content) };
    case "custom":
      return { kind: message.customType, text: contentText(message.content) };
    case "user":
      return describeUserMessage(message);
    case "system":
    case "assistant":
      return { kind: message.role, text: contentText(message.content) };
  }
}

// WORD3: the typed text comes first, so that no attachment can imitate it.
function describeUserMessage({ content, pith }: UserMessage): EntryDescription {
  const { typed, attachments } = splitContent(content);
  if (pith?.from === "program" || attachments.length === 0) return { kind: "user", text: contentText(content) };
  const count = attachments.length === 1 ? "1 attachment" : `${attachments.length} attachments`;
  const kind = `user; the text that the user typed, then ${count} not written by the user`;
  const images = Array.isArray(content) ? content.filter((block) => block?.type === "image").flatMap(blockTexts) : [];
  const attached = attachments.map((each) =>
    [`[attachment: ${describeAttachment(each)}]`, each.text].join("\n").trimEnd(),
  );
  return { kind, text: [typed || "(nothing typed)", ...attached, ...images].join("\n\n") };
}

function resultKind({ toolName, isError }: { readonly toolName: string; readonly isError: boolean }): string {
  return `tool result: ${toolName}${isError ? ", failed" : ""}`;
}

// LED6: a reference does not show the model a command that the user excluded from the context.
function describeShellCommand({
  command,
  output,
  exitCode,
  cancelled,
  excludeFromContext,
}: BashExecutionMessage): EntryDescription {
  if (excludeFromContext) return { kind: "shell command that the user excluded from the context", text: "" };
  const end = cancelled ? "\n(stopped by the user)" : exitCode ? `\n(exit code ${exitCode})` : "";
  return { kind: "shell command run by the user", text: `$ ${command}\n${output}${end}` };
}

// Session files are not validated block by block, so the content may have any shape.
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.flatMap(blockTexts).join("\n\n") : "";
}

function blockTexts(block: Readonly<Record<string, unknown>> | null): readonly string[] {
  switch (block?.type) {
    case "text":
      return [String(block.text ?? "")];
    case "thinking":
      return block.redacted ? [] : [`[thinking]\n${block.thinking}`];
    case "image":
      return [`[${block.mimeType}, ${formatBytes(Math.floor(String(block.data ?? "").length * 0.75))}]`];
    case "toolCall":
      return [`[tool call: ${block.name}]\n${formatArguments(block.arguments)}`];
    default:
      return [];
  }
}

/** Strings are shown unquoted; other values as JSON. */
function formatArguments(args: unknown): string {
  const pairs = typeof args === "object" ? Object.entries(args ?? {}) : [];
  return pairs.map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n");
}
