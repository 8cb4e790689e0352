/** What people are told of a provider's error text: the message alone, one line, and nothing that looks like a key. */

export function wordsOf(text: string): string {
  const message = messageIn(text.slice(0, MOST_READ)) ?? text.slice(0, MOST_READ);
  const line = /^\s*<(!doctype|html)/i.test(message) ? titleOf(message) : message;
  const words = line.replace(/\s+/g, " ").trim().replace(KEY, "[key]");
  return words.length > LONGEST ? `${words.slice(0, LONGEST).toWellFormed()}…` : words;
}

const MOST_READ = 65_536;
const LONGEST = 300;

// The letters that keys begin with at the providers we know, and what they write in the place of one.
const KEY = /\b(?:(?:sk|pk|gsk|xai|hf)[-_][A-Za-z0-9*_.-]{8,}|AIza[A-Za-z0-9*_-]{16,}|Bearer [A-Za-z0-9*_.-]{8,})/g;

/** JSON may hold its message under several roofs, or another JSON in a string. */
function messageIn(text: string, depth = 0): string | null {
  const value = depth < 4 ? jsonIn(text) : null;
  const said = value === null ? null : messageOf(value, 0);
  return said === null ? null : (messageIn(said, depth + 1) ?? said);
}

function messageOf(value: unknown, depth: number): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || depth > 4) return null;
  const fields = (Array.isArray(value) ? { error: value[0] } : value) as Readonly<Record<string, unknown>>;
  for (const name of ["message", "error", "detail", "error_description", "response", "msg"]) {
    const said = fields[name] === undefined ? null : messageOf(fields[name], depth + 1);
    if (said !== null && said.trim() !== "") return said;
  }
  return null;
}

function jsonIn(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    // It only looked like JSON, or was cut.
    return null;
  }
}

function titleOf(page: string): string {
  return /<title>([^<]{1,200})</i.exec(page)?.[1] ?? "it sent a web page";
}
