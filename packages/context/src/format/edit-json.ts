/** Changes single members of a JSON text without parsing it, keeps every other byte, and checks how deep the text nests. */

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The same object with these members set, each given as JSON text: in place where it exists, in front where it does not. */
export function withMembers(text: string, changes: Readonly<Record<string, string>>): string {
  const spans = memberSpans(text);
  const fresh = Object.entries(changes).filter(([name]) => !spans.has(name));
  const edits = Object.entries(changes)
    .flatMap(([name, json]) => ({ span: spans.get(name), json }))
    .filter((edit): edit is { span: Span; json: string } => edit.span !== undefined)
    .sort((a, b) => b.span.start - a.span.start);
  const edited = edits.reduce((sum, { span, json }) => sum.slice(0, span.start) + json + sum.slice(span.end), text);
  return fresh.length === 0 ? edited : inFront(edited, fresh, spans.size > 0);
}

/** Where the value of each member stands in the text of a valid JSON object; of a doubled member, the last. */
export function memberSpans(text: string): ReadonlyMap<string, Span> {
  const spans = new Map<string, Span>();
  let at = pastSpace(text, text.indexOf("{") + 1);
  while (text[at] === '"') {
    const nameEnd = closingQuote(text, at) + 1;
    const start = pastSpace(text, pastSpace(text, nameEnd) + 1);
    const end = pastValue(text, start);
    spans.set(JSON.parse(text.slice(at, nameEnd)) as string, { start, end });
    at = pastSpace(text, end);
    if (text[at] === ",") at = pastSpace(text, at + 1);
  }
  return spans;
}

/** Whether objects and lists nest deeper than the limit; looks at any text, valid JSON or not. */
export function nestsDeeperThan(text: string, limit: number): boolean {
  // Most lines have so few brackets, in strings or not, that nobody needs to look which of them nest.
  let count = 0;
  for (let at = text.indexOf("{"); at !== -1 && count <= limit; at = text.indexOf("{", at + 1)) count++;
  for (let at = text.indexOf("["); at !== -1 && count <= limit; at = text.indexOf("[", at + 1)) count++;
  return count > limit && nestsDeeper(text, limit);
}

function nestsDeeper(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) at = closingQuote(text, at);
    else if (opens(letter)) depth++;
    else if (closes(letter)) depth--;
    if (depth > limit) return true;
  }
  return false;
}

function inFront(text: string, members: readonly (readonly [string, string])[], othersFollow: boolean): string {
  const open = text.indexOf("{") + 1;
  const added = members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",");
  return `${text.slice(0, open)}${added}${othersFollow ? "," : ""}${text.slice(open)}`;
}

function pastValue(text: string, start: number): number {
  const letter = text.charCodeAt(start);
  if (letter === QUOTE) return closingQuote(text, start) + 1;
  if (opens(letter)) return pastGroup(text, start);
  let at = start;
  while (at < text.length && !", \t\r\n}]".includes(text.charAt(at))) at++;
  return at;
}

function pastGroup(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const letter = text.charCodeAt(at);
    if (letter === QUOTE) at = closingQuote(text, at);
    else if (opens(letter)) depth++;
    else if (closes(letter)) depth--;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

// Strings are most of a line: the engine's own search skips them far faster than a loop over letters.
function closingQuote(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}

function pastSpace(text: string, start: number): number {
  let at = start;
  while (" \t\r\n".includes(text.charAt(at)) && at < text.length) at++;
  return at;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const opens = (letter: number): boolean => letter === 0x7b || letter === 0x5b;
const closes = (letter: number): boolean => letter === 0x7d || letter === 0x5d;
