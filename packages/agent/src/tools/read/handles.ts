/** Opens references: a blob kept beside the session, or an entry of the session on any branch. */

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
import type { Blobs } from "../../ports.ts";
import { HEAD, isPlainText, pictureKind } from "../../text.ts";
import type { ToolCall, ToolOutput } from "../../tool.ts";
import { type Argument, right, wrong } from "../arguments.ts";
import { type FileParts, type Handle, type PageLines, pageLines } from "../files.ts";
import { failed, said, sized } from "../output.ts";
import { LARGEST_PICTURE, longPage, picture, type ReadRange, tooLargePicture } from "./pages.ts";

/** Beginning with a line that names the entry. */
export function entryWords(entry: Entry): string {
  const { kind, words } = told(entry);
  return `[${entryReference(entry)}: ${kind}${words === "" ? ", without words" : ""}]\n${words}`;
}

interface Told {
  readonly kind: string;
  readonly words: string;
}

function told(entry: Entry): Told {
  switch (entry.type) {
    case "message":
      return toldMessage(entry.message);
    case "compaction":
    case "branch_summary":
      return { kind: entry.type, words: entry.summary };
    case "custom_message":
      return { kind: entry.customType, words: contentWords(entry.content) };
    case "gap":
      return { kind: "gap", words: entry.why };
    case "context_edit":
    case "model_change":
    case "thinking_level_change":
    case "active_tools_change":
    case "label":
    case "session_info":
    case "usage":
    case "custom":
    case "unknown":
      return { kind: entry.type, words: "" };
  }
}

function toldMessage(message: AgentMessage): Told {
  switch (message.role) {
    case "bashExecution":
      return toldShell(message);
    case "compactionSummary":
    case "branchSummary":
      return { kind: message.role, words: message.summary };
    case "toolResult":
      return { kind: resultKind(message), words: contentWords(message.content) };
    case "custom":
      return { kind: message.customType, words: contentWords(message.content) };
    case "user":
      return toldUser(message);
    case "system":
    case "assistant":
      return { kind: message.role, words: contentWords(message.content) };
  }
}

// WORD3: what was typed comes first, so that nothing in an attachment can pass for it.
function toldUser({ content, pith }: UserMessage): Told {
  const { typed, attachments } = splitContent(content);
  if (pith?.from === "program" || attachments.length === 0) return { kind: "user", words: contentWords(content) };
  const count = attachments.length === 1 ? "1 attachment" : `${attachments.length} attachments`;
  const kind = `user; what the user typed, then ${count}, which the user did not write`;
  const images = Array.isArray(content) ? content.filter((block) => block?.type === "image").flatMap(blockWords) : [];
  const attached = attachments.map((each) =>
    [`[attachment: ${describeAttachment(each)}]`, each.text].join("\n").trimEnd(),
  );
  return { kind, words: [typed || "(nothing typed)", ...attached, ...images].join("\n\n") };
}

function resultKind({ toolName, isError }: { readonly toolName: string; readonly isError: boolean }): string {
  return `result of ${toolName}${isError ? ", which failed" : ""}`;
}

// LED6: what the user keeps from the model is not told to it by way of a reference.
function toldShell({ command, output, exitCode, cancelled, excludeFromContext }: BashExecutionMessage): Told {
  if (excludeFromContext) return { kind: "a command that the user keeps to themselves", words: "" };
  const end = cancelled ? "\n(stopped by the user)" : exitCode ? `\n(exit code ${exitCode})` : "";
  return { kind: "a command of the user's", words: `$ ${command}\n${output}${end}` };
}

// Files are not checked block by block.
function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.flatMap(blockWords).join("\n\n") : "";
}

function blockWords(block: Readonly<Record<string, unknown>> | null): readonly string[] {
  switch (block?.type) {
    case "text":
      return [String(block.text ?? "")];
    case "thinking":
      return block.redacted ? [] : [`[thinking]\n${block.thinking}`];
    case "image":
      return [`[${block.mimeType}, ${sized(Math.floor(String(block.data ?? "").length * 0.75))}]`];
    case "toolCall":
      return [`[call of ${block.name}]\n${argumentWords(block.arguments)}`];
    default:
      return [];
  }
}

/** Text stands as it is, because it was meant to be read. */
function argumentWords(given: unknown): string {
  const pairs = typeof given === "object" ? Object.entries(given ?? {}) : [];
  return pairs.map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`).join("\n");
}

export type Kept = Pick<FileParts, "blobs" | "entries" | "redaction">;

export async function openHandle(handle: Handle, call: ToolCall, kept: Kept): Promise<ToolOutput> {
  const { blobs } = kept;
  const lines = pageLines(call.arguments);
  if (lines.type === "wrong") return failed(lines.message);
  const wish = { handle, call, lines: lines.value };
  if (handle.type !== "blob") return await openEntry(wish, kept);
  if (!blobs) return failed(unkept(handle));
  const found = await findHash(handle, blobs);
  if (found.type === "wrong") return failed(`${handle.shown} cannot be opened: ${found.message}`);
  return await openBlob(wish, (range) => blobs.read(found.value, range));
}

async function findHash({ name }: Handle, blobs: Blobs): Promise<Argument<string>> {
  const digits = name.toLowerCase();
  const isWhole: boolean = isBlobHash(digits);
  if (isWhole) return right(digits);
  if (!/^[0-9a-f]{1,64}$/.test(digits)) return wrong("a blob is named by the hexadecimal digits of its hash");
  if (digits.length < MIN_BLOB_DIGITS) return wrong(`give at least the first ${MIN_BLOB_DIGITS} digits of its hash`);
  const found = await blobs.find(digits);
  if (found.type === "unavailable") return wrong(found.why);
  const [first, second] = found.blobs;
  if (!first) return wrong("nothing is kept under this name, or no longer");
  return second ? wrong(listCandidates(found.blobs)) : right(first.hash);
}

function listCandidates(blobs: readonly { readonly hash: string; readonly bytes: number }[]): string {
  const hashes = blobs.map(({ hash }) => hash);
  const listed = blobs
    .slice(0, MOST_LISTED)
    .map(({ hash, bytes }) => `\n${blobReference(hash, digitsToTellApart(hash, hashes))} (${sized(bytes)})`);
  const more = blobs.length > listed.length ? `\nand ${blobs.length - listed.length} more` : "";
  return `${blobs.length} blobs begin with these digits. Read one of them:${listed.join("")}${more}`;
}

const MOST_LISTED = 20;

function digitsToTellApart(hash: string, all: readonly string[]): number {
  let digits = MIN_BLOB_DIGITS;
  while (all.some((other) => other !== hash && other.startsWith(hash.slice(0, digits)))) digits += 1;
  return digits;
}

interface Wish {
  readonly handle: Handle;
  readonly call: ToolCall;
  readonly lines: PageLines;
}

async function openEntry(wish: Wish, { entries, redaction }: Kept): Promise<ToolOutput> {
  const { type, name, shown } = wish.handle;
  if (!entries) return failed(unkept(wish.handle));
  const entry = await (type === "number" ? entries.entryByNumber(Number(name)) : entries.entry(name));
  if (!entry) return failed(`${shown} is not in this session; check the reference where you read it`);
  const lost = entry.type === "gap" || entry.type === "unknown" ? damageNote(entry) : null;
  if (lost !== null) return failed(lost);
  if (entry.type === "gap") return failed(`${shown} is damaged and cannot be read`);
  // It may come from before redaction, or from another program.
  const words = entryWords(entry);
  const bytes = new TextEncoder().encode(redaction?.redact(words) ?? words);
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
