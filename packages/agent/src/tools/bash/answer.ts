/** How a command ended and what it said, as the model reads it. */

import type { ToolOutput } from "../../tool.ts";
import type { ShellEnd } from "../../workspace.ts";
import type { Screen } from "./screen.ts";

export interface BashDetails {
  /** Null: it is still running, was killed or did not start. */
  readonly exitCode: number | null;
  /** All that came, also what was left out. */
  readonly bytes: number;
  readonly truncated: boolean;
  readonly job?: string;
}

/** `end` is null while a job runs. */
export interface Told {
  readonly screen: Screen;
  readonly end: ShellEnd | null;
  readonly job?: string;
}

export function answer({ screen, end, job }: Told): ToolOutput {
  const { text, isTruncated } = screen.take();
  const note = noteOf(end, job);
  const said = text.trim() === "" ? nothing(screen, job) : text.trimEnd();
  const exitCode = end?.type === "ended" ? end.exitCode : null;
  const details: BashDetails = { exitCode, bytes: screen.bytes, truncated: isTruncated, ...(job && { job }) };
  return {
    content: [{ type: "text", text: note === null ? said : `${said}\n\n${note}` }],
    isError: isFailure(end, job),
    details,
  };
}

export function refusal(text: string): ToolOutput {
  return { content: [{ type: "text", text }], isError: true };
}

/** A job that was ended did what was asked of it. */
function isFailure(end: ShellEnd | null, job: string | undefined): boolean {
  if (end === null) return false;
  if (end.type === "ended") return end.exitCode !== 0;
  return !(job && end.type === "killed" && end.by === "abort");
}

function nothing({ bytes }: Screen, job: string | undefined): string {
  if (job) return "(no new output)";
  return bytes === 0 ? "(no output)" : `(${bytes} bytes, none of them readable)`;
}

function noteOf(end: ShellEnd | null, job: string | undefined): string | null {
  if (end === null) return `${job} is still running`;
  const how = end.type === "ended" ? `exit code ${end.exitCode}` : end.message;
  if (job) return `${job} has ended: ${how}`;
  return end.type === "ended" && end.exitCode === 0 ? null : how;
}
