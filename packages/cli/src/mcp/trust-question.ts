/** Asks the user before the tools of an MCP server are used, with what it offers and what has changed since. */

import type { ExtensionUi } from "@pith/agent";
import { type NamedServer, namer, spelledOut } from "../settings/settings.ts";
import { clipped, plain } from "../text/safe-text.ts";
import { changesSince, keepPin, type OfferedTool, type Pin, pinKey, pinOf, readPins } from "./trusted-tools.ts";

/** On one line. Text of a server is bounded, has no invisible characters, and is never an instruction. */
export function plainLine(text: string | undefined, most: number): string {
  return clipped(plain(clipped(text ?? "", most)), most);
}

/** As JSON; what is too long loses its end, and says so. */
export function plainJson(value: unknown, most: number): string {
  const text = plain(JSON.stringify(value ?? {}));
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length - most} more letters)`;
}

export interface TrustAsked {
  readonly named: NamedServer;
  readonly tools: readonly OfferedTool[];
  /** What was trusted before; absent the first time. */
  readonly before: Pin | undefined;
}

export function trustTitle({ named, before }: TrustAsked): string {
  return before ? `${named.name}: its tools have changed. Trust them?` : `${named.name}: trust its tools?`;
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

function changed({ tools }: TrustAsked, before: Pin): readonly string[] {
  const { added, removed, changed: altered } = changesSince(before, pinOf(tools, ""));
  const told = (names: readonly string[], sign: string): readonly string[] =>
    tools.filter(({ name }) => names.includes(name)).map((tool) => `${sign} ${lineOf(tool)}`);
  return [
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

/** "No" stands first, so that pressing Enter without reading trusts nothing. */
export function trustAsking(ui: Pick<ExtensionUi, "select">): Confirm {
  return async (title, message, asking) => (await ui.select(`${title}\n${message}`, [NO, YES], asking)) === YES;
}

const NO = "No, not now";
const YES = "Yes, use these tools";

export interface Offered {
  readonly named: NamedServer;
  readonly tools: readonly OfferedTool[];
}

export interface AdmitParts {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** Null where nobody is there. */
  readonly confirm: () => Confirm | null;
}

export type Confirm = (title: string, message: string, asking: { readonly signal: AbortSignal }) => Promise<boolean>;

/** Null where they may be used; else why not, for the model and for people. */
export type Admit = (offered: Offered, signal: AbortSignal) => Promise<string | null>;

/** Admits tools exactly as trusted; without a user to ask, refuses. One question at a time, and never twice about the same. */
export function admitting(parts: AdmitParts): Admit {
  const declined = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();
  return (offered, signal) => {
    const answer = turn.then(() => admitted(offered, { ...parts, declined, signal }));
    turn = answer.catch(() => undefined);
    return answer;
  };
}

interface Admitting extends AdmitParts {
  readonly declined: Set<string>;
  readonly signal: AbortSignal;
}

async function admitted(
  { named, tools }: Offered,
  { cwd, home, confirm, declined, signal }: Admitting,
): Promise<string | null> {
  const key = pinKey(named, cwd);
  const now = pinOf(tools, new Date().toISOString());
  const read = await readPins(home);
  if (read.type === "unbelieved") return `nothing can be trusted: ${read.why}`;
  const before = read.type === "read" ? read.pins.get(key) : undefined;
  if (before?.hash === now.hash) return null;
  if (declined.has(`${key} ${now.hash}`)) return `the user does not trust the tools of ${named.name}`;
  const ask = confirm();
  const asked: TrustAsked = { named, tools, before };
  if (ask === null) return unasked(asked);
  const isTrusted = await ask(trustTitle(asked), trustText(asked), { signal });
  if (signal.aborted) return "it was stopped";
  if (!isTrusted) {
    declined.add(`${key} ${now.hash}`);
    return `the user does not trust the tools of ${named.name}`;
  }
  const kept = await keepPin(key, now, home);
  return kept.type === "kept" ? null : kept.message;
}

function unasked({ named, tools, before }: TrustAsked): string {
  const what = before
    ? `have changed since they were trusted (${changesInShort(tools, before)})`
    : "are not trusted yet";
  return `the tools of ${named.name} ${what}, and nobody is here to ask; whoever wants them runs: pith mcp trust ${named.name}`;
}
