/** Formats the questions about an MCP server: whether its program may start, and whether its tools may be used. */

import type { ExtensionUi } from "@pith/agent";
import { formatServerCommand, type NamedServer, serverSourceLabels } from "../settings/settings.ts";
import { escapeControls, truncate } from "../text/safe-text.ts";
import type { LaunchPlan } from "./plan-launch.ts";
import { isLauncher, listFileChanges, NOT_A_FILE, type ProgramFiles } from "./program-files.ts";
import { createTrustRecord, findToolChanges, type OfferedTool, type ServerTrustRecord } from "./trust-records.ts";

/** Returns text of a server as one line: truncated, and without control or invisible characters. */
export function sanitizeLine(text: string | undefined, maxChars: number): string {
  return truncate(escapeControls(truncate(text ?? "", maxChars)), maxChars);
}

/** Returns the value as JSON. Text over the limit is cut, with a note about the rest. */
export function sanitizeJson(value: unknown, maxChars: number): string {
  const text = escapeControls(JSON.stringify(value ?? {}));
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}… (${text.length - maxChars} more characters)`;
}

/** Returns where a server is configured, to append to a line. Empty if the user configured it. */
export function formatOrigin(from: NamedServer["from"]): string {
  return from === "settings" ? "" : `, configured in ${serverSourceLabels[from]}`;
}

export interface StartQuestion {
  readonly plan: LaunchPlan;
  /** The previous trust record. Undefined if the server was never trusted. */
  readonly before: ServerTrustRecord | undefined;
}

export function formatStartTitle({ plan, before }: StartQuestion): string {
  const { name } = plan.namedServer;
  return before?.files ? `${name}: its program has changed. Start it?` : `${name}: start this program?`;
}

/** Lists everything that is known before the program runs: command, folder, variables, sandbox and files. */
export function formatStartText({ plan, before }: StartQuestion): string {
  const { namedServer, program, arguments: args, cwd, files } = plan;
  const variables = Object.keys(namedServer.server.env ?? {});
  return [
    `runs: ${sanitizeLine([program, ...args].map(quoteArgument).join(" "), 1_000)}${formatOrigin(namedServer.from)}`,
    `in: ${sanitizeLine(cwd, 300)}`,
    ...(variables.length > 0 ? [`variables: ${formatNames(variables)}`] : []),
    ...formatConfinement(plan),
    ...formatFiles(files, before),
  ].join("\n");
}

function formatConfinement({ namedServer, program, confinement }: LaunchPlan): readonly string[] {
  if (confinement.type === "unconfined")
    return [`sandbox: off (${confinement.why}); it runs with your full user permissions`];
  const { folders = [], hosts = [] } = namedServer.server;
  const allowedHosts = [...hosts, ...(isLauncher(program) ? ["your package registries"] : [])];
  const networkLine =
    confinement.networkProblem === null
      ? `network: ${allowedHosts.length === 0 ? "Pith asks about each host" : `${formatNames(allowedHosts)}; Pith asks about every other host`}`
      : `network: none, because ${sanitizeLine(confinement.networkProblem, 200)}`;
  const writeLine = `can write: its own folder and a private home${folders.length === 0 ? "" : `, ${formatNames(folders)}`}`;
  return ["sandbox: on; it cannot see your home folder or the workspace", writeLine, networkLine];
}

/** Quotes an argument that contains special characters, so that it cannot look like two arguments. */
function quoteArgument(argument: string): string {
  return /^[\w@%+=:,./~-]+$/.test(argument) ? argument : JSON.stringify(argument);
}

/** Lists the changed files; on the first start, the files whose later change causes a new question. */
function formatFiles(files: ProgramFiles, before: ServerTrustRecord | undefined): readonly string[] {
  if (before?.files)
    return listFileChanges(before.files, files)
      .slice(0, MAX_LINES)
      .map((line) => sanitizeLine(line, 300));
  const versionNote = before ? ["it was trusted by an earlier version of Pith, which did not check the program"] : [];
  const allFiles = { ...files.program, ...files.packages };
  const unreadFiles = Object.entries(allFiles).filter(([, hash]) => hash.startsWith("not read"));
  const watchedLine = `Pith asks again if any of these change: ${formatNames(Object.keys(allFiles))}, its tools`;
  return [
    ...versionNote,
    watchedLine,
    ...unreadFiles.map(([path, why]) => sanitizeLine(describeUnreadFile(path, why), 300)),
  ];
}

function describeUnreadFile(path: string, why: string): string {
  return why === NOT_A_FILE ? `${path} is not a regular file, so it was not checked` : `${path} was ${why}`;
}

export interface TrustQuestion {
  readonly namedServer: NamedServer;
  readonly tools: readonly OfferedTool[];
  /** The files of the program. Null or absent for an HTTP server. */
  readonly files?: ProgramFiles | null;
  /** The previous trust record. Undefined if the server was never trusted. */
  readonly before: ServerTrustRecord | undefined;
}

export function formatTrustTitle({ namedServer, tools, before }: TrustQuestion): string {
  if (!before) return `${namedServer.name}: trust its tools?`;
  const subject = before.hash === createTrustRecord(tools, "").hash ? "packages" : "tools";
  return `${namedServer.name}: its ${subject} have changed. Trust its tools?`;
}

export function formatTrustText(question: TrustQuestion): string {
  const { namedServer, tools, before } = question;
  const location = `${"url" in namedServer.server ? "at" : "runs"}: ${sanitizeLine(formatServerCommand(namedServer.server), 300)}`;
  const lines = before ? formatChanges(question, before) : tools.map((tool) => `+ ${formatTool(tool)}`);
  const omittedNote = lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} more`] : [];
  const toolCount = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  return [
    `${location}${formatOrigin(namedServer.from)}`,
    `${toolCount}${before ? ", changes:" : ":"}`,
    ...lines.slice(0, MAX_LINES),
    ...omittedNote,
  ].join("\n");
}

/** Summarizes the changes in one line, for a message when no user can be asked. */
export function summarizeToolChanges(tools: readonly OfferedTool[], before: ServerTrustRecord): string {
  const { added, removed, changed: changedNames } = findToolChanges(before, createTrustRecord(tools, ""));
  const groups = [
    [added, "new"],
    [removed, "removed"],
    [changedNames, "changed"],
  ] as const;
  return groups.flatMap(([names, label]) => (names.length === 0 ? [] : [`${label}: ${formatNames(names)}`])).join("; ");
}

const MAX_LINES = 30;

function formatChanges({ tools, files }: TrustQuestion, before: ServerTrustRecord): readonly string[] {
  const { added, removed, changed: changedNames } = findToolChanges(before, createTrustRecord(tools, ""));
  const formatTools = (names: readonly string[], prefix: string): readonly string[] =>
    tools.filter(({ name }) => names.includes(name)).map((tool) => `${prefix} ${formatTool(tool)}`);
  return [
    ...(files && before.files ? listFileChanges(before.files, files).map((line) => sanitizeLine(line, 300)) : []),
    ...formatTools(changedNames, "changed:"),
    ...formatTools(added, "new:"),
    ...removed.map((name) => `removed: ${sanitizeLine(name, MAX_NAME_CHARS)}`),
  ];
}

function formatTool({ name, description }: OfferedTool): string {
  const summary = sanitizeLine(description, 120);
  return `${sanitizeLine(name, MAX_NAME_CHARS)}${summary === "" ? "" : `: ${summary}`}`;
}

const MAX_NAME_CHARS = 80;

function formatNames(names: readonly string[]): string {
  const shownNames = names.slice(0, 5).map((name) => sanitizeLine(name, MAX_NAME_CHARS));
  return names.length > 5 ? `${shownNames.join(", ")} and ${names.length - 5} more` : shownNames.join(", ");
}

export interface ConfirmOptions {
  readonly signal: AbortSignal;
  /** The label of the option that permits it. */
  readonly yes: string;
}

export type Confirm = (title: string, message: string, options: ConfirmOptions) => Promise<boolean>;

/** "No" is the first option, so that pressing Enter without reading permits nothing. */
export function createTrustConfirm(ui: Pick<ExtensionUi, "select">): Confirm {
  return async (title, message, { signal, yes }) =>
    (await ui.select(`${title}\n${message}`, [NO, yes], { signal })) === yes;
}

const NO = "No, not now";
