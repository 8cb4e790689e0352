/** Words the questions about an MCP server: whether its program may start, and whether its tools may be used. */

import type { ExtensionUi } from "@pith/agent";
import { type NamedServer, namer, spelledOut } from "../settings/settings.ts";
import { clipped, plain } from "../text/safe-text.ts";
import type { LaunchPlan } from "./plan-launch.ts";
import { isLauncher, listFileChanges, type ProgramFiles } from "./program-files.ts";
import { changesSince, type OfferedTool, type Pin, pinOf } from "./trusted-tools.ts";

/** On one line. Text of a server is bounded, has no invisible characters, and is never an instruction. */
export function plainLine(text: string | undefined, most: number): string {
  return clipped(plain(clipped(text ?? "", most)), most);
}

/** As JSON; what is too long loses its end, and says so. */
export function plainJson(value: unknown, most: number): string {
  const text = plain(JSON.stringify(value ?? {}));
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more letters)`;
}

export interface StartAsked {
  readonly plan: LaunchPlan;
  /** What was trusted before; absent the first time. */
  readonly before: Pin | undefined;
}

export function startTitle({ plan, before }: StartAsked): string {
  const { name } = plan.named;
  return before?.files ? `${name}: its program has changed. Start it?` : `${name}: start this program?`;
}

/** All that is known before anything runs. */
export function startText({ plan, before }: StartAsked): string {
  const { named, program, arguments: words, cwd, files } = plan;
  const whence = named.from === "settings" ? "" : `, named by ${namer[named.from]}`;
  const variables = Object.keys(named.server.env ?? {});
  return [
    `runs: ${plainLine([program, ...words].map(quoted).join(" "), 1_000)}${whence}`,
    `in: ${plainLine(cwd, 300)}`,
    ...(variables.length > 0 ? [`with the variables: ${few(variables)}`] : []),
    ...confinementLines(plan),
    ...fileLines(files, before),
  ].join("\n");
}

function confinementLines({ named, program, confinement }: LaunchPlan): readonly string[] {
  if (confinement.type === "unconfined") return [`sandbox: off, it runs with all your rights: ${confinement.why}`];
  const { folders = [], hosts = [] } = named.server;
  const allowed = [...hosts, ...(isLauncher(program) ? ["the hosts of your packages"] : [])];
  const reached =
    confinement.networkProblem === null
      ? `may reach: ${allowed.length === 0 ? "" : `${few(allowed)}; `}you are asked about each other host`
      : `may reach: no host, because ${plainLine(confinement.networkProblem, 200)}`;
  const written = `may write: its own folder and a private home${folders.length === 0 ? "" : `, ${few(folders)}`}`;
  return ["sandbox: on, it sees neither your home nor the workspace", written, reached];
}

/** A word as a shell would need it, so that none passes for two. */
function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word);
}

/** What has changed; the first time, what a later change is noticed by. */
function fileLines(now: ProgramFiles, before: Pin | undefined): readonly string[] {
  if (before?.files)
    return listFileChanges(before.files, now)
      .slice(0, MOST)
      .map((line) => plainLine(line, 300));
  const earlier = before ? ["it was trusted by an earlier version of Pith, which did not look at the program"] : [];
  const all = { ...now.program, ...now.packages };
  const unread = Object.entries(all).filter(([, hash]) => hash.startsWith("not read"));
  const noticed = `a change of these asks again: ${few(Object.keys(all))}, its tools`;
  return [...earlier, noticed, ...unread.map(([path, why]) => plainLine(`${path} was ${why}`, 300))];
}

export interface TrustAsked {
  readonly named: NamedServer;
  readonly tools: readonly OfferedTool[];
  /** What runs; absent for an address. */
  readonly files?: ProgramFiles | null;
  /** What was trusted before; absent the first time. */
  readonly before: Pin | undefined;
}

export function trustTitle({ named, tools, before }: TrustAsked): string {
  if (!before) return `${named.name}: trust its tools?`;
  const what = before.hash === pinOf(tools, "").hash ? "packages" : "tools";
  return `${named.name}: its ${what} have changed. Trust its tools?`;
}

export function trustText(asked: TrustAsked): string {
  const { named, tools, before } = asked;
  const how = `${"url" in named.server ? "at" : "runs"}: ${plainLine(spelledOut(named.server), 300)}`;
  const whence = named.from === "settings" ? "" : `, named by ${namer[named.from]}`;
  const lines = before ? changed(asked, before) : tools.map((tool) => `+ ${lineOf(tool)}`);
  const rest = lines.length > MOST ? [`… and ${lines.length - MOST} more`] : [];
  const amount = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  return [`${how}${whence}`, `${amount}${before ? ", of which:" : ":"}`, ...lines.slice(0, MOST), ...rest].join("\n");
}

/** In one line, for whoever cannot be asked. */
export function changesInShort(tools: readonly OfferedTool[], before: Pin): string {
  const { added, removed, changed: altered } = changesSince(before, pinOf(tools, ""));
  const parts = [
    [added, "new"],
    [removed, "gone"],
    [altered, "changed"],
  ] as const;
  return parts.flatMap(([names, word]) => (names.length === 0 ? [] : [`${word}: ${few(names)}`])).join("; ");
}

const MOST = 30;

function changed({ tools, files }: TrustAsked, before: Pin): readonly string[] {
  const { added, removed, changed: altered } = changesSince(before, pinOf(tools, ""));
  const told = (names: readonly string[], sign: string): readonly string[] =>
    tools.filter(({ name }) => names.includes(name)).map((tool) => `${sign} ${lineOf(tool)}`);
  return [
    ...(files && before.files ? listFileChanges(before.files, files).map((line) => plainLine(line, 300)) : []),
    ...told(altered, "changed:"),
    ...told(added, "new:"),
    ...removed.map((name) => `gone: ${plainLine(name, LONGEST)}`),
  ];
}

function lineOf({ name, description }: OfferedTool): string {
  const says = plainLine(description, 120);
  return `${plainLine(name, LONGEST)}${says === "" ? "" : `: ${says}`}`;
}

const LONGEST = 80;

function few(names: readonly string[]): string {
  const shown = names.slice(0, 5).map((name) => plainLine(name, LONGEST));
  return names.length > 5 ? `${shown.join(", ")} and ${names.length - 5} more` : shown.join(", ");
}

export interface Asking {
  readonly signal: AbortSignal;
  /** The answer that permits it. */
  readonly yes: string;
}

export type Confirm = (title: string, message: string, asking: Asking) => Promise<boolean>;

/** "No" stands first, so that pressing Enter without reading permits nothing. */
export function trustAsking(ui: Pick<ExtensionUi, "select">): Confirm {
  return async (title, message, { signal, yes }) =>
    (await ui.select(`${title}\n${message}`, [NO, yes], { signal })) === yes;
}

const NO = "No, not now";
