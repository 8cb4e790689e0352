/** Describes a tool call in one short line: the tool, and its file, command or pattern. */

import { readCallOutcome } from "@pith/agent";
import type { ToolResultMessage } from "@pith/context";
import { escapeLineBreaks } from "@pith/host/text/safe-text";

type ToolArguments = Readonly<Record<string, unknown>>;

/** The arguments come from a model: they may be missing or have a wrong type. */
export function describeToolCall(tool: string, args: ToolArguments): string {
  return [tool, describeToolArguments(tool, args)].filter(Boolean).join(" ");
}

/** Describes a call without the name of its tool. */
export function describeToolArguments(tool: string, args: ToolArguments): string {
  return (isBuiltinTool(tool) ? describers[tool]?.(args) : describeArguments(args)) ?? "";
}

/** Lists the tool and all its arguments in full, one below the other. */
export function formatFullToolCall(tool: string, args: ToolArguments): string {
  const lines = Object.entries(args).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [tool, ...lines].join("\n");
}

/** Whether the tool is part of Pith, so that its arguments are known. */
export function isBuiltinTool(tool: string): boolean {
  return Object.hasOwn(describers, tool);
}

export const OUTSIDE_SANDBOX = "outside the sandbox";

/** Whether the model asked to run the command outside the sandbox. */
export function leavesSandbox(tool: string, { outside }: ToolArguments): boolean {
  return tool === "bash" && (outside === true || outside === "true");
}

const describers: Readonly<Record<string, (args: ToolArguments) => string>> = {
  read: (args) => [toLine(args.path), formatLineRange(args)].filter(Boolean).join(" "),
  write: ({ path }) => toLine(path),
  edit: ({ path }) => toLine(path),
  bash: ({ command, job, kill, outside }) => {
    if (job !== undefined) return `${kill ? "end " : ""}${toLine(job)}`;
    // In front, where a long command does not push it out of the line.
    return `${leavesSandbox("bash", { outside }) ? `${OUTSIDE_SANDBOX}: ` : ""}${firstCommandLine(toLine(command))}`;
  },
  grep: ({ pattern, path, glob }) => [quote(pattern), formatLocation(path), toLine(glob)].filter(Boolean).join(" "),
  find: ({ glob, path }) => [toLine(glob), formatLocation(path)].filter(Boolean).join(" "),
  ls: ({ path }) => toLine(path) || ".",
  fetch: ({ url }) => toLine(url),
};

function toLine(value: unknown): string {
  return typeof value === "string" ? escapeLineBreaks(value.slice(0, MAX_TEXT_CHARS)) : "";
}

function quote(value: unknown): string {
  return toLine(value) === "" ? "" : `"${toLine(value)}"`;
}

function formatLocation(path: unknown): string {
  return toLine(path) === "" ? "" : `in ${toLine(path)}`;
}

/** `1–80`, with lines counted from 1. */
function formatLineRange({ offset, limit }: ToolArguments): string {
  if (typeof offset !== "number" && typeof limit !== "number") return "";
  const first = typeof offset === "number" ? offset : 1;
  return typeof limit === "number" ? `${first}–${first + limit - 1}` : `from ${first}`;
}

/** The first line. The user sees the others when the call is expanded. */
function firstCommandLine(command: string): string {
  const [first = "", ...others] = command.trim().split("\\n");
  return others.length === 0 ? first : `${first} …`;
}

/** Lists all arguments of a tool that is not built in. */
function describeArguments(args: ToolArguments): string {
  return escapeLineBreaks(
    Object.entries(args)
      .map(
        ([name, value]) =>
          `${name}=${typeof value === "string" ? value.slice(0, MAX_TEXT_CHARS) : JSON.stringify(value)}`,
      )
      .join(" ")
      .slice(0, MAX_TEXT_CHARS),
  );
}

const MAX_TEXT_CHARS = 500;

/** How a call ended, after its name in a heading. Empty if it succeeded. */
export function formatCallEnd(result: ToolResultMessage): string {
  const outcome = readCallOutcome(result);
  return outcome === "succeeded" ? "" : ` ${outcome}`;
}

/** For these tools, the number of lines says enough about a folded result. */
export const LINE_COUNT_TOOLS: readonly string[] = ["read", "grep", "find", "ls", "fetch"];

/** The language of a file, by its extension or name. Empty if it has none. */
export function languageOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return name.includes(".") ? name.slice(name.lastIndexOf(".") + 1) : name;
}
