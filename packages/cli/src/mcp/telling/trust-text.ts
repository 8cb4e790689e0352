/** What a person is asked about the tools of a server: what it is, what it offers, and what is no longer as it was. */

import { type NamedServer, namer, spelledOut } from "../mcp-servers.ts";
import { changesSince, type OfferedTool, type Pin, pinOf } from "../pins/pin.ts";
import { plainLine } from "./plainly.ts";

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
