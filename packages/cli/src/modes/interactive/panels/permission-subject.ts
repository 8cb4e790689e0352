/** Shows what a permission question is about: the diff, the whole command or the URL. It reads files and never changes them. */

import type { PermissionQuestion } from "@pith/agent";
import type { Redaction } from "@pith/context";
import type { Vault } from "@pith/context/secrets";
import { previewRequestedChange } from "@pith/host/permissions";
import { formatCount } from "@pith/host/text/format";
import { toDisplayText } from "../render/text.ts";
import type { RenderContext } from "../render/theme.ts";
import { wrapTextWithAnsi } from "../terminal/pi-tui.ts";

export type PermissionSubject =
  /** `diff` is a unified diff without the two lines with file names. */
  | { readonly kind: "change"; readonly path: string; readonly isNew: boolean; readonly diff: string }
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "address"; readonly url: string }
  /** The arguments of the tool call. */
  | { readonly kind: "other"; readonly text: string };

type SubjectOptions = Pick<RenderContext, "width" | "theme">;

/** Renders the whole subject. It may be a file of megabytes, so the lines are cached until the width or the theme changes. */
export function renderSubject(subject: PermissionSubject, { width, theme }: SubjectOptions): readonly string[] {
  const cacheKey = `${width} ${theme.name}`;
  const cached = renderCache.get(subject);
  if (cached?.key === cacheKey) return cached.lines;
  const lines = renderLines(subject, { width, theme });
  renderCache.set(subject, { key: cacheKey, lines });
  return lines;
}

const renderCache = new WeakMap<PermissionSubject, { readonly key: string; readonly lines: readonly string[] }>();

function renderLines(subject: PermissionSubject, { width, theme }: SubjectOptions): readonly string[] {
  switch (subject.kind) {
    case "change":
      return renderChange(subject, { width, theme });
    case "command":
      return wrapLines(toDisplayText(subject.command), width).map(
        (line, index) => ` ${theme.dim(index === 0 ? "$" : " ")} ${line}`,
      );
    case "address":
      return wrapLines(toDisplayText(subject.url), width).map((line) => `   ${theme.link(line)}`);
    case "other":
      return wrapLines(toDisplayText(subject.text), width).map((line) => `   ${line}`);
  }
}

function renderChange({ diff, path, isNew }: Extract<PermissionSubject, { kind: "change" }>, options: SubjectOptions) {
  const { theme, width } = options;
  const lines = toDisplayText(diff)
    .replace(/^@@.*\n/, "")
    .split("\n");
  const [added, removed] = [countLines(lines, "+"), countLines(lines, "-")];
  const changeText = isNew ? `new, ${formatCount(added, "line")}` : `+${added} −${removed}`;
  const heading = wrapLines(toDisplayText(`${path}  ${changeText}`), width).map((line) => ` ${theme.strong(line)}`);
  return [...heading, ...lines.flatMap((line) => renderDiffLine(line, options))];
}

function renderDiffLine(line: string, { width, theme }: SubjectOptions): readonly string[] {
  if (line === "") return [];
  if (line.startsWith("@@")) return [theme.dim("   ⋯")];
  const sign = line.slice(0, 1);
  const style = sign === "+" ? theme.added : sign === "-" ? theme.removed : theme.dim;
  return wrapLines(line.slice(1), width - 2).map((part, index) => `   ${style(`${index === 0 ? sign : " "} ${part}`)}`);
}

function countLines(lines: readonly string[], sign: string): number {
  return lines.filter((line) => line.startsWith(sign)).length;
}

/** Leaves room for the prefix of each line. */
function wrapLines(text: string, width: number): readonly string[] {
  const maxWidth = Math.max(10, width - 4);
  return text.split("\n").flatMap((line) => breakLine(line, maxWidth));
}

/** Wraps at words, or at fixed widths if the line is very long. Nothing is left out. */
function breakLine(line: string, maxWidth: number): readonly string[] {
  // An ASCII line has one column per character, as nearly all code.
  const isAscii = /^[ -~]*$/.test(line);
  if (isAscii && line.length <= maxWidth) return [line];
  if (line.length <= MAX_WORD_WRAP_CHARS) return wrapTextWithAnsi(line, maxWidth);
  return line.match(isAscii ? new RegExp(`.{1,${maxWidth}}`, "g") : new RegExp(`.{1,${maxWidth >> 1}}`, "gu")) ?? [];
}

const MAX_WORD_WRAP_CHARS = 2_000;

export interface SubjectContext {
  readonly cwd: string;
  /** Redacts secrets in what is shown. The comparison uses the real text. */
  readonly vault?: Vault | null;
}

export async function loadSubject(
  question: PermissionQuestion,
  context: SubjectContext,
  signal: AbortSignal,
): Promise<PermissionSubject> {
  const { intent } = question;
  if (intent?.type === "command") return { kind: "command", command: intent.command };
  if (intent?.type === "network" && intent.command !== null) return { kind: "command", command: intent.command };
  if (intent?.type === "fetch") return { kind: "address", url: intent.url };
  // If the change cannot be loaded, the question is asked with the arguments.
  const change = await loadChange(question, context, signal).catch(() => null);
  return change ?? { kind: "other", text: formatArguments(question.arguments) };
}

async function loadChange(
  question: PermissionQuestion,
  { cwd, vault }: SubjectContext,
  signal: AbortSignal,
): Promise<PermissionSubject | null> {
  const change = await previewRequestedChange(question, { cwd, vault, maxFileBytes: MAX_FILE_BYTES, signal });
  if (!change) return null;
  const { createTwoFilesPatch } = await import("diff");
  const { path, before, after } = change;
  const patch = createTwoFilesPatch(path, path, before ?? "", after, "", "", { context: 3, timeout: DIFF_TIMEOUT_MS });
  if (patch === undefined) return null;
  const lines = patch.split("\n").filter((line) => !line.startsWith("\\"));
  // Skips the rule and the two file names at the start of the patch.
  const diff = lines.slice(lines.findIndex((line) => line.startsWith("@@")));
  const redacted = redactWith(vault, { path, diff: diff.join("\n") });
  return { kind: "change", ...redacted, isNew: before === null };
}

const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Comparing two texts with nothing in common can take very long. */
const DIFF_TIMEOUT_MS = 300;

function redactWith<Value>(redaction: Redaction | null | undefined, value: Value): Value {
  return redaction ? redaction.redact(value) : value;
}

/** Formats one argument per line; strings are not quoted. */
function formatArguments(toolArguments: PermissionQuestion["arguments"]): string {
  return Object.entries(toolArguments)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
