/** Builds the result of a `bash` call: the output, how the command ended, and notes on the sandbox and on kept output. */

import { blobReference } from "@pith/context/host";
import type { BlobKept, NetworkConnection, PortResult, ShellEnd, WorkspaceShell } from "../../ports.ts";
import type { ToolOutput } from "../../tool.ts";
import { sized } from "../output.ts";
import type { Said, Taken } from "./command-output.ts";
import type { Connections } from "./connections.ts";
import type { NetworkSetting } from "./input.ts";

export interface Sandbox {
  /** The shell outside it, for what the user lets out. */
  readonly unconfined: WorkspaceShell;
  /** Off: no host is reached. Hosts: those that are permitted. Open: every public one. */
  readonly network: NetworkSetting;
  /** Whether commands may write in the workspace. */
  readonly mayWrite: () => boolean;
  /** Opens ports between the sandbox and the user's machine, where the user permits it. */
  readonly ports?: SandboxPorts;
  /** The temporary folder, as a command names it; `/tmp` unless said. */
  readonly temporary?: string;
  /** Whether commands can listen on localhost and reach each other there; they can unless said. */
  readonly hasLocalhost?: boolean;
}

export interface SandboxPorts {
  /** A port of the user's machine, for commands. */
  reach(port: number, act: { readonly signal: AbortSignal }): Promise<PortResult>;
  /** A port of the sandbox, for the user's machine. */
  publish(port: number, act: { readonly signal: AbortSignal }): Promise<PortResult>;
}

const DENIAL =
  /read-only file system|permission denied|operation not permitted|device or resource busy|\bE(?:ROFS|ACCES|PERM|BUSY)\b|docker daemon|authentication agent/i;
const UNREACHABLE =
  /network is unreachable|could not resolve|name resolution|name or service not known|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b|connection refused/i;

/** Null where the failure looks like the command's own, or is explained by the hosts that were refused. */
function denialNote(text: string, { end, sandbox, connections }: Told): string | null {
  if (!sandbox || end?.type !== "ended" || end.exitCode === 0) return null;
  if (DENIAL.test(text)) return writeNote(sandbox);
  return UNREACHABLE.test(text) && connections.note() === null ? networkNote(sandbox) : null;
}

function networkNote({ network, mayWrite, hasLocalhost = true }: Sandbox): string {
  if (network === "off") return `This ran in a sandbox, which has no network.${mayWrite() ? ` ${ASK}` : ""}`;
  if (!hasLocalhost)
    return `This ran in a sandbox, where only programs that use HTTPS_PROXY reach other hosts, and no port of localhost can be used. ${ASK}`;
  return "This ran in a sandbox, where only programs that use HTTPS_PROXY reach other hosts, and localhost is the sandbox's own.";
}

function writeNote({ network, mayWrite, temporary = "/tmp", hasLocalhost = true }: Sandbox): string {
  const reach = network === "off" ? " and has no network" : hasLocalhost ? "" : " and uses no port of localhost";
  if (!mayWrite()) return `This ran in a sandbox, which now writes only temporary files, not the workspace${reach}.`;
  const places = `in the workspace (not .git/config, .git/hooks, .vscode and the like), in ${temporary} and in a home of its own`;
  return `This ran in a sandbox, which writes only ${places}${reach}. ${ASK}`;
}

const ASK = "If that stopped it, run it with `outside: true`: the user is asked.";

export interface BashDetails {
  /** Null: it is still running, was killed or did not start. */
  readonly exitCode: number | null;
  /** All that came, also what was left out. */
  readonly bytes: number;
  readonly truncated: boolean;
  readonly sandboxed: boolean;
  /** The hash of what was kept. */
  readonly blob?: string;
  readonly job?: string;
  /** The hosts that it reached or was refused, merged; absent where there were none. */
  readonly network?: readonly NetworkConnection[];
}

/** `end` is null while a job runs; `sandbox` where the command was not confined. */
export interface Told {
  readonly said: Said;
  readonly end: ShellEnd | null;
  readonly sandbox: Sandbox | null;
  readonly connections: Connections;
  readonly job?: string;
}

export async function answer(told: Told): Promise<ToolOutput> {
  const taken = await told.said.take();
  const text = taken.text.trim() === "" ? nothing(told) : taken.text.trimEnd();
  const notes = [endNote(told), told.connections.note(), denialNote(text, told), keptNote(taken)];
  const note = notes.filter((each) => each !== null).join("\n");
  return {
    content: [{ type: "text", text: note === "" ? text : `${text}\n\n${note}` }],
    isError: isFailure(told),
    details: detailsOf(told, taken),
  };
}

function detailsOf({ said, end, sandbox, connections, job }: Told, { isTruncated, kept }: Taken): BashDetails {
  return {
    exitCode: end?.type === "ended" ? end.exitCode : null,
    bytes: said.bytes,
    truncated: isTruncated,
    sandboxed: sandbox !== null,
    ...(kept?.type === "kept" && { blob: kept.hash }),
    ...(job && { job }),
    ...(connections.all.length > 0 && { network: connections.all }),
  };
}

/** A job that was ended did what was asked of it. */
function isFailure({ end, job }: Told): boolean {
  if (end === null) return false;
  if (end.type === "ended") return end.exitCode !== 0;
  return !(job && end.type === "killed" && end.by === "abort");
}

function nothing({ said: { bytes }, job }: Told): string {
  if (job) return "(no new output)";
  return bytes === 0 ? "(no output)" : `(${bytes} bytes, none of them readable)`;
}

function endNote({ end, job }: Told): string | null {
  if (end === null) return `${job} is still running`;
  const how = end.type === "ended" ? `exit code ${end.exitCode}` : end.message;
  if (job) return `${job} has ended: ${how}`;
  return end.type === "ended" && end.exitCode === 0 ? null : how;
}

function keptNote({ kept, bytes }: Taken): string | null {
  if (kept === null) return null;
  if (kept.type === "unavailable") return `[all of it could not be kept: ${kept.why}]`;
  return `[${extentOf(kept, bytes)}: read ${blobReference(kept.hash)}]`;
}

function extentOf({ isWhole, bytes }: Extract<BlobKept, { type: "kept" }>, all: number): string {
  return isWhole ? `all ${sized(all)}` : `the first ${sized(bytes)} of ${sized(all)}`;
}
