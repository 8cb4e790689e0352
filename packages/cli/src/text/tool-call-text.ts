/** Describes a tool call in one short line: the tool, and the file, command or pattern it is about. */

import { oneLine } from "./safe-text.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Of what comes from a model, so anything may be missing or of another kind. */
export function callWords(tool: string, given: Arguments): string {
  return [tool, isOwn(tool) ? WORDS[tool]?.(given) : anything(given)].filter(Boolean).join(" ");
}

/** Whether it comes with Pith, so that its arguments are known. */
export function isOwn(tool: string): boolean {
  return Object.hasOwn(WORDS, tool);
}

const WORDS: Readonly<Record<string, (given: Arguments) => string>> = {
  read: (given) => [text(given.path), range(given)].filter(Boolean).join(" "),
  write: ({ path }) => text(path),
  edit: ({ path }) => text(path),
  bash: ({ command, job, kill }) => (job === undefined ? command1(text(command)) : `${kill ? "end " : ""}${text(job)}`),
  grep: ({ pattern, path, glob }) => [quoted(pattern), within(path), text(glob)].filter(Boolean).join(" "),
  find: ({ glob, path }) => [text(glob), within(path)].filter(Boolean).join(" "),
  ls: ({ path }) => text(path) || ".",
  fetch: ({ url }) => text(url),
};

function text(value: unknown): string {
  return typeof value === "string" ? oneLine(value.slice(0, LONGEST)) : "";
}

function quoted(value: unknown): string {
  return text(value) === "" ? "" : `"${text(value)}"`;
}

function within(path: unknown): string {
  return text(path) === "" ? "" : `in ${text(path)}`;
}

/** `1–80`, as lines are counted. */
function range({ offset, limit }: Arguments): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? `${first}–${first + limit - 1}` : `from ${first}`;
}

/** Its first line; the others are seen when it is opened. */
function command1(command: string): string {
  const [first = "", ...others] = command.trim().split("\\n");
  return others.length === 0 ? first : `${first} …`;
}

/** Tools of others: their arguments as they are. */
function anything(given: Arguments): string {
  return oneLine(
    Object.entries(given)
      .map(([name, value]) => `${name}=${typeof value === "string" ? value.slice(0, LONGEST) : JSON.stringify(value)}`)
      .join(" ")
      .slice(0, LONGEST),
  );
}

const LONGEST = 500;
