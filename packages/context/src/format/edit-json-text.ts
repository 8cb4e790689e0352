/** Sets members of a JSON object in its text, so that every other byte stays, and checks how deep a text nests. */

/** The position of a value in a JSON text. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

/** Sets members of a JSON object, each given as JSON text. Existing members change in place; new members come first. */
export function setJsonMembers(text: string, changes: Readonly<Record<string, string>>): string {
  const spans = findMemberSpans(text);
  const newMembers = Object.entries(changes).filter(([name]) => !spans.has(name));
  const edits = Object.entries(changes)
    .flatMap(([name, json]) => ({ span: spans.get(name), json }))
    .filter((edit): edit is { span: JsonSpan; json: string } => edit.span !== undefined)
    .sort((a, b) => b.span.start - a.span.start);
  const editedText = edits.reduce(
    (result, { span, json }) => result.slice(0, span.start) + json + result.slice(span.end),
    text,
  );
  return newMembers.length === 0 ? editedText : prependMembers(editedText, newMembers, spans.size > 0);
}

/** Finds the position of each member's value in a valid JSON object. Of a repeated member, the last one counts. */
export function findMemberSpans(text: string): ReadonlyMap<string, JsonSpan> {
  const spans = new Map<string, JsonSpan>();
  let index = skipWhitespace(text, text.indexOf("{") + 1);
  while (text[index] === '"') {
    const nameEnd = findClosingQuote(text, index) + 1;
    const start = skipWhitespace(text, skipWhitespace(text, nameEnd) + 1);
    const end = skipValue(text, start);
    spans.set(JSON.parse(text.slice(index, nameEnd)) as string, { start, end });
    index = skipWhitespace(text, end);
    if (text[index] === ",") index = skipWhitespace(text, index + 1);
  }
  return spans;
}

/** Whether objects and arrays nest deeper than the limit. The text need not be valid JSON. */
export function exceedsDepth(text: string, limit: number): boolean {
  // Most lines have fewer brackets than the limit, so nesting is not examined.
  let count = 0;
  for (let index = text.indexOf("{"); index !== -1 && count <= limit; index = text.indexOf("{", index + 1)) count++;
  for (let index = text.indexOf("["); index !== -1 && count <= limit; index = text.indexOf("[", index + 1)) count++;
  return count > limit && exceedsDepthOutsideStrings(text, limit);
}

function exceedsDepthOutsideStrings(text: string, limit: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const charCode = text.charCodeAt(index);
    if (charCode === QUOTE) index = findClosingQuote(text, index);
    else if (isOpeningBracket(charCode)) depth++;
    else if (isClosingBracket(charCode)) depth--;
    if (depth > limit) return true;
  }
  return false;
}

function prependMembers(
  text: string,
  members: readonly (readonly [string, string])[],
  hasOtherMembers: boolean,
): string {
  const open = text.indexOf("{") + 1;
  const newText = members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(",");
  return `${text.slice(0, open)}${newText}${hasOtherMembers ? "," : ""}${text.slice(open)}`;
}

function skipValue(text: string, start: number): number {
  const charCode = text.charCodeAt(start);
  if (charCode === QUOTE) return findClosingQuote(text, start) + 1;
  if (isOpeningBracket(charCode)) return skipGroup(text, start);
  let index = start;
  while (index < text.length && !", \t\r\n}]".includes(text.charAt(index))) index++;
  return index;
}

function skipGroup(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index++) {
    const charCode = text.charCodeAt(index);
    if (charCode === QUOTE) index = findClosingQuote(text, index);
    else if (isOpeningBracket(charCode)) depth++;
    else if (isClosingBracket(charCode)) depth--;
    if (depth === 0) return index + 1;
  }
  return text.length;
}

// Strings are most of a line, and indexOf skips them much faster than a loop over characters.
function findClosingQuote(text: string, open: number): number {
  let index = text.indexOf('"', open + 1);
  while (index !== -1 && isEscapedQuote(text, index)) index = text.indexOf('"', index + 1);
  return index === -1 ? text.length : index;
}

function isEscapedQuote(text: string, index: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(index - 1 - slashes) === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}

function skipWhitespace(text: string, start: number): number {
  let index = start;
  while (" \t\r\n".includes(text.charAt(index)) && index < text.length) index++;
  return index;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const isOpeningBracket = (charCode: number): boolean => charCode === 0x7b || charCode === 0x5b;
const isClosingBracket = (charCode: number): boolean => charCode === 0x7d || charCode === 0x5d;
