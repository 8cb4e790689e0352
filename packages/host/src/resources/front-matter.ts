/** Parses front matter: the subset of YAML that maps names to text. Every value is a string. */

export interface FrontMatter {
  /** Lists and nested values are kept as raw text, because Pith does not use them. */
  readonly fields: ReadonlyMap<string, string>;
  /** The text after the front matter. */
  readonly body: string;
  /** Completes a sentence that starts with the file's path. Null if the front matter is valid. */
  readonly error: string | null;
}

export function parseFrontMatter(source: string): FrontMatter {
  const text = source.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  if (!/^---[ \t]*\n/.test(text)) return { fields: new Map(), body: text, error: null };
  const lines = text.split("\n", MAX_LINES);
  const end = lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line));
  if (end < 0) return { fields: new Map(), body: text, error: "starts with --- but has no closing --- line" };
  const headLength = lines.slice(0, end + 1).join("\n").length;
  return { ...parseFields(lines.slice(1, end)), body: text.slice(headLength).replace(/^\n/, "") };
}

const MAX_LINES = 500;

function parseFields(lines: readonly string[]): Pick<FrontMatter, "fields" | "error"> {
  const fields = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    if (isContinuation(line)) continue;
    const field = parseFieldLine(line);
    if (field === null) return { fields, error: `has an invalid line ${index + 2} (expected "name: text")` };
    const nextField = lines.findIndex((following, position) => position > index && !isContinuation(following));
    const value = parseValue(field.first, lines.slice(index + 1, nextField < 0 ? lines.length : nextField));
    if (value === null) return { fields, error: `has an invalid quoted string on line ${index + 2}` };
    fields.set(field.name, value);
  }
  return { fields, error: null };
}

/** Accepts any name, because unknown fields are not errors. */
function parseFieldLine(line: string): { readonly name: string; readonly first: string } | null {
  const colon = line.search(/:(?:[ \t]|$)/);
  const name = line.slice(0, Math.max(0, colon)).trim();
  if (name === "") return null;
  return { name: QUOTED_NAME.exec(name)?.[2] ?? name, first: line.slice(colon + 1).trim() };
}

const QUOTED_NAME = /^(["'])([^"']+)\1$/;

/** Whether the line belongs to the field above it, or is empty or a comment. */
function isContinuation(line: string): boolean {
  return line.trim() === "" || /^(?:[ \t]|#|- )/.test(line);
}

function parseValue(firstLine: string, continuation: readonly string[]): string | null {
  if (/^[|>][-+\d]*(?:\s+#.*)?$/.test(firstLine)) return parseBlock(continuation, firstLine.startsWith("|"));
  const text = [firstLine, ...continuation.map((line) => line.trim())].filter((line) => line !== "").join(" ");
  if (text.startsWith('"')) return parseDoubleQuoted(text);
  if (text.startsWith("'")) return /^'((?:[^']|'')*)'(?:\s+#.*)?$/.exec(text)?.[1]?.replaceAll("''", "'") ?? null;
  const comment = text.search(/(?:^|\s)#/);
  return comment < 0 ? text : text.slice(0, comment).trimEnd();
}

/** Accepts only JSON escapes. The few further escapes of YAML give an error. */
function parseDoubleQuoted(text: string): string | null {
  const quotedText = /^"(?:[^"\\]|\\.)*"(?=\s+#|$)/.exec(text)?.[0];
  try {
    return quotedText === undefined ? null : String(JSON.parse(quotedText));
  } catch {
    return null; // Not a valid JSON string.
  }
}

/** In a folded block (`>`), line breaks become spaces, except at blank lines. */
function parseBlock(blockLines: readonly string[], isLiteral: boolean): string {
  const indent = blockLines.find((line) => line.trim() !== "")?.search(/\S/) ?? 0;
  const lines = blockLines.map((line) => line.slice(Math.min(indent, Math.max(0, line.search(/\S|$/)))));
  const text = lines.join("\n").trim();
  return isLiteral ? text : text.replace(/\n+/g, (newlines) => (newlines === "\n" ? " " : newlines.slice(1)));
}
