/** Hosts in a rule: one by its name, or with `*.` all that lie under one. */

import type { Fit } from "./fit.ts";
import { mistake, type RuleMistake } from "./mistake.ts";

export interface HostPattern {
  readonly type: "host";
  /** As a URL spells it. */
  readonly host: string;
  /** Those under it, and not itself. */
  readonly isUnder: boolean;
}

export function hostPattern(inside: string): HostPattern | RuleMistake {
  const isUnder = inside.startsWith("*.");
  const name = isUnder ? inside.slice(2) : inside;
  if (name.includes("*")) return mistake("star", "a * may only stand at the beginning, as in *.example.com");
  const host = /[/\\?#@%\s]/.test(name) ? null : hostOf(`http://${name}`);
  const isPlain = host !== null && (name.startsWith("[") || !name.includes(":"));
  if (!isPlain) return mistake("host", "write a host alone, such as example.com, without scheme, port or path");
  return { type: "host", host, isUnder };
}

export function isSurelyHost(patterns: readonly HostPattern[], url: string): boolean {
  return patterns.some((pattern) => couldBeHost(pattern, url) === "fits");
}

export function couldBeHost({ host, isUnder }: HostPattern, url: string): Fit {
  const asked = hostOf(url);
  if (asked === null) return "unsure";
  return (isUnder ? asked.endsWith(`.${host}`) : asked === host) ? "fits" : "not";
}

// The parser brings capitals, foreign letters and odd ways to write an address into one form; a last dot changes nothing.
function hostOf(url: string): string | null {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/\.$/, "") || null;
}
