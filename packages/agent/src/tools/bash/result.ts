/** Builds the result of a `bash` call: the output, how the command ended, and notes on the sandbox and on kept output. */

import { blobReference } from "@pith/context/host";
import type { BlobWriteResult, NetworkConnection, PortResult, ShellResult, WorkspaceShell } from "../../ports.ts";
import type { ToolOutput } from "../../tool.ts";
import { formatBytes } from "../output.ts";
import type { CommandOutput, OutputSnapshot } from "./command-output.ts";
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
  connect(port: number, act: { readonly signal: AbortSignal }): Promise<PortResult>;
  /** A port of the sandbox, for the user's machine. */
  publish(port: number, act: { readonly signal: AbortSignal }): Promise<PortResult>;
}

const DENIAL =
  /read-only file system|permission denied|operation not permitted|device or resource busy|\bE(?:ROFS|ACCES|PERM|BUSY)\b|docker daemon|authentication agent/i;
const UNREACHABLE =
  /network is unreachable|could not resolve|name resolution|name or service not known|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b|connection refused/i;

/** Null where the failure looks like the command's own, or is explained by the hosts that were refused. */
function denialNote(text: string, { end, sandbox, connections }: BashResultInput): string | null {
  if (!sandbox || end?.type !== "ended" || end.exitCode === 0) return null;
  if (DENIAL.test(text)) return writeNote(sandbox);
  return UNREACHABLE.test(text) && connections.refusalNote() === null ? networkNote(sandbox) : null;
}

function networkNote({ network, mayWrite: canWrite, hasLocalhost = true }: Sandbox): string {
  if (network === "off") return `This ran in a sandbox, which has no network.${canWrite() ? ` ${OUTSIDE_HINT}` : ""}`;
  if (!hasLocalhost)
    return `This ran in a sandbox, where only programs that use HTTPS_PROXY reach other hosts, and no port of localhost can be used. ${OUTSIDE_HINT}`;
  return "This ran in a sandbox, where only programs that use HTTPS_PROXY reach other hosts, and localhost is the sandbox's own.";
}

function writeNote({ network, mayWrite: canWrite, temporary = "/tmp", hasLocalhost = true }: Sandbox): string {
  const networkText = network === "off" ? " and has no network" : hasLocalhost ? "" : " and uses no port of localhost";
  if (!canWrite())
    return `This ran in a sandbox, which now writes only temporary files, not the workspace${networkText}.`;
  const writablePlaces = `in the workspace (not .git/config, .git/hooks, .vscode and the like), in ${temporary} and in a home of its own`;
  return `This ran in a sandbox, which writes only ${writablePlaces}${networkText}. ${OUTSIDE_HINT}`;
}

const OUTSIDE_HINT = "If that stopped it, run it with `outside: true`: the user is asked.";

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
export interface BashResultInput {
  readonly output: CommandOutput;
  readonly end: ShellResult | null;
  readonly sandbox: Sandbox | null;
  readonly connections: Connections;
  readonly job?: string;
}

export async function buildBashResult(input: BashResultInput): Promise<ToolOutput> {
  const snapshot = await input.output.take();
  const text = snapshot.text.trim() === "" ? noOutputText(input) : snapshot.text.trimEnd();
  const notes = [endNote(input), input.connections.refusalNote(), denialNote(text, input), blobNote(snapshot)];
  const note = notes.filter((each) => each !== null).join("\n");
  return {
    content: [{ type: "text", text: note === "" ? text : `${text}\n\n${note}` }],
    isError: isFailure(input),
    details: buildDetails(input, snapshot),
  };
}

function buildDetails(
  { output, end, sandbox, connections, job }: BashResultInput,
  { isTruncated, blob }: OutputSnapshot,
): BashDetails {
  return {
    exitCode: end?.type === "ended" ? end.exitCode : null,
    bytes: output.bytes,
    truncated: isTruncated,
    sandboxed: sandbox !== null,
    ...(blob?.type === "kept" && { blob: blob.hash }),
    ...(job && { job }),
    ...(connections.all.length > 0 && { network: connections.all }),
  };
}

/** A job that was ended did what was asked of it. */
function isFailure({ end, job }: BashResultInput): boolean {
  if (end === null) return false;
  if (end.type === "ended") return end.exitCode !== 0;
  return !(job && end.type === "killed" && end.cause === "abort");
}

function noOutputText({ output: { bytes }, job }: BashResultInput): string {
  if (job) return "(no new output)";
  return bytes === 0 ? "(no output)" : `(${bytes} bytes, none of them readable)`;
}

function endNote({ end, job }: BashResultInput): string | null {
  if (end === null) return `${job} is still running`;
  const ending = end.type === "ended" ? `exit code ${end.exitCode}` : end.message;
  if (job) return `${job} has ended: ${ending}`;
  return end.type === "ended" && end.exitCode === 0 ? null : ending;
}

function blobNote({ blob, bytes }: OutputSnapshot): string | null {
  if (blob === null) return null;
  if (blob.type === "unavailable") return `[all of it could not be kept: ${blob.why}]`;
  return `[${describeExtent(blob, bytes)}: read ${blobReference(blob.hash)}]`;
}

function describeExtent(
  { isWhole: isComplete, bytes }: Extract<BlobWriteResult, { type: "kept" }>,
  totalBytes: number,
): string {
  return isComplete
    ? `all ${formatBytes(totalBytes)}`
    : `the first ${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
}
