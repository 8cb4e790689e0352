/** Parses front matter: the part of YAML in which each name has one text. Every value stays text. */

export interface FrontMatter {
  /** A list, or names below a name, as it is written: nobody here reads those. */
  readonly fields: ReadonlyMap<string, string>;
  /** All behind it. */
  readonly body: string;
  /** As the end of a sentence that begins with the file; null where all of it was understood. */
  readonly fault: string | null;
}

export function frontMatter(written: string): FrontMatter {
  const text = written.replace(/^\ufeff/, "").replaceAll("\r\n", "\n");
  if (!/^---[ \t]*\n/.test(text)) return { fields: new Map(), body: text, fault: null };
  const lines = text.split("\n", MOST_LINES);
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line));
  if (end < 0) return { fields: new Map(), body: text, fault: "begins with --- and has no second line of ---" };
  const head = lines.slice(0, end + 1).join("\n").length;
  return { ...fieldsIn(lines.slice(1, end)), body: text.slice(head).replace(/^\n/, "") };
}

const MOST_LINES = 500;

function fieldsIn(lines: readonly string[]): Pick<FrontMatter, "fields" | "fault"> {
  const fields = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    if (isBeside(line)) continue;
    const named = namedIn(line);
    if (named === null) return { fields, fault: `has a line ${at + 2} that is no "name: text"` };
    const next = lines.findIndex((each, below) => below > at && !isBeside(each));
    const value = textFrom(named.first, lines.slice(at + 1, next < 0 ? lines.length : next));
    if (value === null) return { fields, fault: `has a text in line ${at + 2} whose quotes have no end` };
    fields.set(named.name, value);
  }
  return { fields, fault: null };
}

/** Whatever the name is: a field that nobody here knows is nobody's fault. */
function namedIn(line: string): { readonly name: string; readonly first: string } | null {
  const colon = line.search(/:(?:[ \t]|$)/);
  const name = line.slice(0, Math.max(0, colon)).trim();
  if (name === "") return null;
  return { name: QUOTED.exec(name)?.[2] ?? name, first: line.slice(colon + 1).trim() };
}

const QUOTED = /^(["'])([^"']+)\1$/;

/** Belongs to the line above it, or to nobody. */
function isBeside(line: string): boolean {
  return line.trim() === "" || /^(?:[ \t]|#|- )/.test(line);
}

function textFrom(first: string, below: readonly string[]): string | null {
  if (/^[|>][-+\d]*(?:\s+#.*)?$/.test(first)) return blockText(below, first.startsWith("|"));
  const text = [first, ...below.map((line) => line.trim())].filter((line) => line !== "").join(" ");
  if (text.startsWith('"')) return doubleQuoted(text);
  if (text.startsWith("'")) return /^'((?:[^']|'')*)'(?:\s+#.*)?$/.exec(text)?.[1]?.replaceAll("''", "'") ?? null;
  const comment = text.search(/(?:^|\s)#/);
  return comment < 0 ? text : text.slice(0, comment).trimEnd();
}

// YAML has a few escapes more than JSON; who uses them is told.
function doubleQuoted(text: string): string | null {
  const quoted = /^"(?:[^"\\]|\\.)*"(?=\s+#|$)/.exec(text)?.[0];
  try {
    return quoted === undefined ? null : String(JSON.parse(quoted));
  } catch {
    return null; // Not a text as JSON has it.
  }
}

/** Folded, lines become words of one line, unless a blank one parts them. */
function blockText(below: readonly string[], isLiteral: boolean): string {
  const indent = below.find((line) => line.trim() !== "")?.search(/\S/) ?? 0;
  const lines = below.map((line) => line.slice(Math.min(indent, Math.max(0, line.search(/\S|$/)))));
  const text = lines.join("\n").trim();
  return isLiteral ? text : text.replace(/\n+/g, (ends) => (ends === "\n" ? " " : ends.slice(1)));
}
