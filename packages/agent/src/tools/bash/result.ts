/** Builds the result of a `bash` call: output, exit state, and notes on the sandbox, network connections and stored output. */

import { blobReference } from "@pith/context/host";
import type {
  BlobWriteResult,
  CaughtFile,
  FindPathRestriction,
  NetworkConnection,
  PortResult,
  ShellResult,
  WorkspaceShell,
} from "../../ports.ts";
import type { ToolOutput } from "../../tool.ts";
import { formatBytes } from "../tool-io.ts";
import type { CommandOutput, OutputSnapshot } from "./command-output.ts";
import type { NetworkSetting } from "./input.ts";
import { listSandboxNotes } from "./sandbox-notes.ts";

/** The sandbox that the bash tool runs commands in. */
export interface Sandbox {
  /** The shell outside the sandbox, for commands that the user permits there. */
  readonly unconfined: WorkspaceShell;
  /** `off`: no network. `hosts`: permitted hosts. `open`: all public hosts. */
  readonly network: NetworkSetting;
  /** Whether commands may write in the workspace. */
  readonly mayWrite: () => boolean;
  /** Opens ports between the sandbox and the user's machine, after permission. */
  readonly ports?: SandboxPorts;
  /** The path of the temporary folder within commands; default: `/tmp`. */
  readonly temporary?: string;
  /** Whether commands can listen on localhost and reach each other there; default: true. */
  readonly hasLocalhost?: boolean;
}

/** Opens ports between the sandbox and the user's machine. */
export interface SandboxPorts {
  /** Makes a port of the user's machine reachable for commands. */
  connect(port: number, options: { readonly signal: AbortSignal }): Promise<PortResult>;
  /** Makes a port of the sandbox reachable for the user's machine. */
  publish(port: number, options: { readonly signal: AbortSignal }): Promise<PortResult>;
}

export interface BashDetails {
  /** Null if the command is still running, was killed or did not start. */
  readonly exitCode: number | null;
  /** The size of all output, including omitted parts. */
  readonly bytes: number;
  readonly truncated: boolean;
  readonly sandboxed: boolean;
  /** The hash of the stored output. */
  readonly blob?: string;
  readonly job?: string;
  /** The hosts that the command reached or was refused, merged; absent if there were none. */
  readonly network?: readonly NetworkConnection[];
  /** Files that other programs run or trust and that the command made; absent if there were none. */
  readonly caught?: readonly CaughtFile[];
}

/** `end` is null while a job runs; `sandbox` is null if the command was not sandboxed. */
export interface BashResultInput {
  readonly output: CommandOutput;
  readonly end: ShellResult | null;
  readonly sandbox: Sandbox | null;
  /** What the sandbox does to a path; null where the shell does not say it. */
  readonly findRestriction: FindPathRestriction | null;
  readonly connections: Connections;
  readonly caught: readonly CaughtFile[];
  readonly job?: string;
}

export async function buildBashResult(input: BashResultInput): Promise<ToolOutput> {
  const snapshot = await input.output.take();
  const text = snapshot.text.trim() === "" ? noOutputText(input) : snapshot.text.trimEnd();
  const denials = listDenialNotes(text, input);
  const notes = [
    ...[endNote(input), input.connections.refusalNote(), ...denials, ...describeCaught(input.caught)],
    blobNote(snapshot),
  ];
  const note = notes.filter((each) => each !== null).join("\n");
  return {
    content: [{ type: "text", text: note === "" ? text : `${text}\n\n${note}` }],
    isError: isFailure(input),
    details: {
      exitCode: input.end?.type === "ended" ? input.end.exitCode : null,
      bytes: input.output.bytes,
      truncated: snapshot.isTruncated,
      sandboxed: input.sandbox !== null,
      ...(snapshot.blob?.type === "kept" && { blob: snapshot.blob.hash }),
      ...(input.job && { job: input.job }),
      ...(input.connections.all.length > 0 && { network: input.connections.all }),
      ...(input.caught.length > 0 && { caught: [...input.caught] }),
    },
  };
}

/** A job that was killed on request did not fail. */
function isFailure({ end, job }: BashResultInput): boolean {
  if (end === null) return false;
  if (end.type === "ended") return end.exitCode !== 0;
  return !(job && end.type === "killed" && end.cause === "abort");
}

function noOutputText({ output: { bytes }, job }: BashResultInput): string {
  if (job) return "(no new output)";
  return bytes === 0 ? "(no output)" : `(${bytes} bytes, none readable)`;
}

function endNote({ end, job }: BashResultInput): string | null {
  if (end === null) return `${job} is still running`;
  if (!job && end.type === "killed" && end.cause === "abort") return `${end.message} by the user`;
  const ending = end.type === "ended" ? `exit code ${end.exitCode}` : end.message;
  if (job) return `${job} has ended: ${ending}`;
  return end.type === "ended" && end.exitCode === 0 ? null : ending;
}

const DENIAL =
  /read-only file system|permission denied|operation not permitted|device or resource busy|\bE(?:ROFS|ACCES|PERM|BUSY)\b|docker daemon|authentication agent/i;
const UNREACHABLE =
  /network is unreachable|could not resolve|name resolution|name or service not known|\b(?:ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED)\b|connection refused/i;

/** Explains errors that the sandbox caused. Without its help only a failure can be explained, and only as one that it may have caused. */
function listDenialNotes(text: string, input: BashResultInput): readonly string[] {
  const { end, sandbox, findRestriction, connections } = input;
  if (!sandbox || end?.type === "not-started") return [];
  const hasFailed = isFailure(input);
  const { mayWrite, temporary = "/tmp" } = sandbox;
  const options = { mayWrite: mayWrite(), hasFailed, temporary };
  const notes = findRestriction === null ? [] : listSandboxNotes(text, { ...options, findRestriction });
  if (notes.length > 0) return notes;
  const isUnreachable = UNREACHABLE.test(text) && connections.refusalNote() === null;
  if (NO_NETWORK.test(text) && isUnreachable) return [networkNote(sandbox)];
  if (end?.type !== "ended" || end.exitCode === 0) return [];
  if ((findRestriction === null ? DENIAL : UNEXPLAINED_DENIAL).test(text)) return [writeNote(sandbox)];
  return isUnreachable ? [networkNote(sandbox)] : [];
}

/** Only a sandbox causes these, although the output does not name a path that it restricts. */
const UNEXPLAINED_DENIAL = /read-only file system|\bEROFS\b|docker daemon|authentication agent/i;
/** A machine with a network does not print this. */
const NO_NETWORK = /network is unreachable|\bENETUNREACH\b/i;

function networkNote({ network, mayWrite, hasLocalhost = true }: Sandbox): string {
  if (network === "off")
    return `The command ran in a sandbox without network access.${mayWrite() ? ` ${OUTSIDE_HINT}` : ""}`;
  if (!hasLocalhost)
    return `The command ran in a sandbox: only programs that use HTTPS_PROXY can reach other hosts, and localhost ports cannot be used. ${OUTSIDE_HINT}`;
  return "The command ran in a sandbox: only programs that use HTTPS_PROXY can reach other hosts, and localhost is the sandbox itself.";
}

function writeNote({ network, mayWrite, temporary = "/tmp", hasLocalhost = true }: Sandbox): string {
  const networkText =
    network === "off" ? " and has no network access" : hasLocalhost ? "" : " and cannot use localhost ports";
  if (!mayWrite())
    return `The command ran in a sandbox that can write temporary files but not the workspace${networkText}.`;
  const writablePlaces = `the workspace (except .git/config, .git/hooks, .vscode and similar paths), ${temporary} and a private home folder`;
  return `The command ran in a sandbox that can write only in ${writablePlaces}${networkText}. ${OUTSIDE_HINT}`;
}

/** A model that is not told would make the file again. */
function describeCaught(caught: readonly CaughtFile[]): readonly string[] {
  return caught.map((file) => `[${file.path}${caughtTexts[file.outcome](file)}]`);
}

const caughtTexts: Readonly<Record<CaughtFile["outcome"], (file: CaughtFile) => string>> = {
  returned: () => ": other programs run or trust this path. The user was asked, and it may stay.",
  left: () => ": other programs run or trust this path, and it could not be moved away. Remove it, and tell the user.",
  moved: ({ movedTo = "another folder", why }) =>
    ` is not there anymore: other programs run or trust this path, so it was moved to ${movedTo}${why ? ` (${why})` : ""}. Do not make it again with a command; to propose it, use \`write\`, which asks the user.`,
};

const OUTSIDE_HINT = "If this caused the failure, run it with `outside: true`; the user is asked.";

function blobNote({ blob, bytes }: OutputSnapshot): string | null {
  if (blob === null) return null;
  if (blob.type === "unavailable") return `[the full output could not be stored: ${blob.why}]`;
  return `[${describeExtent(blob, bytes)}: read ${blobReference(blob.hash)}]`;
}

function describeExtent({ isWhole, bytes }: Extract<BlobWriteResult, { type: "kept" }>, totalBytes: number): string {
  return isWhole
    ? `full output, ${formatBytes(totalBytes)}`
    : `the first ${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
}

/** The limit for each outcome, because a command may connect to any number of hosts. */
const MAX_HOSTS = 50;
const MAX_NAMED_HOSTS = 5;

/** Collects the connections of a command, merged by host. */
export class Connections {
  readonly #allowed = new Map<string, NetworkConnection>();
  readonly #refused = new Map<string, NetworkConnection>();
  #moreRefused = 0;

  add(connection: NetworkConnection): void {
    const { host, port, outcome } = connection;
    const connections = outcome === "allowed" ? this.#allowed : this.#refused;
    const key = `${host}:${port}`;
    const previous = connections.get(key);
    if (previous || connections.size < MAX_HOSTS)
      connections.set(key, {
        ...connection,
        sentBytes: connection.sentBytes + (previous?.sentBytes ?? 0),
        receivedBytes: connection.receivedBytes + (previous?.receivedBytes ?? 0),
      });
    else if (outcome === "refused") this.#moreRefused += 1;
  }

  /** Each host and port once for each outcome, up to the limit. */
  get all(): readonly NetworkConnection[] {
    return [...this.#allowed.values(), ...this.#refused.values()];
  }

  /** Tells the model which hosts were refused and why. Null if none was. */
  refusalNote(): string | null {
    const refused = new Map([...this.#refused.values()].map((connection) => [connection.host, connection]));
    if (refused.size === 0) return null;
    const lines = [...refused.values()].slice(0, MAX_NAMED_HOSTS).map(formatRefusal);
    const more = refused.size - lines.length + this.#moreRefused;
    return [...lines, ...(more > 0 ? [`network: ${more} more hosts were refused`] : [])].join("\n");
  }
}

function formatRefusal({ host, port, why }: NetworkConnection): string {
  const hint = why === undefined ? "" : describeWayOut({ host, port, why });
  // Some reasons already name the host.
  if (why?.startsWith(`${host} `)) return `network: ${why}${hint}`;
  return `network: ${host} was refused${why === undefined ? "" : `: ${why.replace(/^not permitted: /, "")}`}${hint}`;
}

/** What makes an address of the user's machine or network reachable. Empty for metadata services. */
function describeWayOut({ host, port, why }: Required<Pick<NetworkConnection, "host" | "port" | "why">>): string {
  const kind = /is not on the public internet \((.+) address\)$/.exec(why)?.[1];
  if (kind === "loopback" || host === "localhost")
    return `. If it is a server on the user's machine, run the command with \`host_port: ${port}\` (the user is asked)`;
  if (kind !== "private" && kind !== "carrier-grade" && !why.endsWith("is a name on the local network")) return "";
  return `. The user can allow it with "${host}:${port}" in the setting fetchHosts`;
}
