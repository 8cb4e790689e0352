/** Matches rules against a request. To allow, a rule must match for certain; to deny or to ask, a possible match is enough. */

import { isWithin } from "../text.ts";
import type { Intent } from "../tool.ts";
import { type Fit, nearest } from "./match-command.ts";
import type { Act, Ground, Reached, Sight } from "./request.ts";
import {
  couldBeCommand,
  couldBeHost,
  couldBePath,
  fitsNamed,
  isSurelyCommand,
  isSurelyHost,
  isSurelyPath,
  type Pattern,
  type Rule,
} from "./rules.ts";

/** Whether the rules together let all of it pass: each command of a line and each path needs a rule, not all the same one. */
export function isSurelyFitted(rules: readonly Rule[], { sight, ground }: Fitting): boolean {
  const own = rules.filter((rule) => isAbout(rule, sight.act) && goesAsFar(rule, sight.act));
  if (own.some(({ pattern }) => pattern === null)) return true;
  const patterns = own.map(({ pattern }) => pattern).filter((pattern) => pattern !== null);
  const { intent } = sight.act;
  switch (intent?.type) {
    case "command":
      return isSurelyCommand(ofType("command", patterns), intent.command);
    case "fetch":
      return isSurelyHost(ofType("host", patterns), intent.url);
    case "network":
      return isSurelyHost(ofType("host", patterns), urlFor(intent.host));
    case "port":
      return ofType("port", patterns).some(({ port }) => port === intent.port);
    case "named":
      return ofType("path", patterns).some((pattern) => fitsNamed(pattern, intent.name));
    case "look":
    case "change":
      return isSurelyReached(ofType("path", patterns), sight.reached, ground);
    case "nothing":
    case undefined:
      return false;
  }
}

export interface Fitting {
  readonly sight: Sight;
  readonly ground: Ground;
}

/** How near a rule comes to any part of it. */
export function couldFit(rule: Rule, { sight, ground }: Fitting): Fit {
  if (!isAbout(rule, sight.act)) return "not";
  const { pattern } = rule;
  if (pattern === null) return "fits";
  const { intent } = sight.act;
  if (intent?.type === "nothing") return "not";
  if (intent?.type === "command" && pattern.type === "command") return couldBeCommand(pattern, intent.command);
  const urls = addressesOf(intent);
  if (urls.length > 0 && pattern.type === "host") return nearest(urls.map((url) => couldBeHost(pattern, url)));
  if (intent?.type === "port" && pattern.type === "port") return pattern.port === intent.port ? "fits" : "not";
  if (intent?.type === "named" && pattern.type === "path") return fitsNamed(pattern, intent.name) ? "fits" : "not";
  if (sight.reached.length > 0 && pattern.type === "path")
    return nearest(sight.reached.map((reached) => couldBePath(pattern, reached, ground)));
  return "unsure";
}

/** Whether all that it would reach is named by these rules on the network; true for what reaches nothing. */
export function reachesOnly(rules: readonly Rule[], { act: { intent } }: Sight): boolean {
  const patterns = rules.map(({ pattern }) => pattern).filter((pattern) => pattern !== null);
  if (intent?.type === "port" && intent.direction === "host")
    return ofType("port", patterns).some(({ port }) => port === intent.port);
  return addressesOf(intent).every((url) => isSurelyHost(ofType("host", patterns), url));
}

/** What it would reach, as URLs. */
function addressesOf(intent: Intent | null): readonly string[] {
  if (intent?.type === "fetch") return [intent.url];
  if (intent?.type === "network") return [urlFor(intent.host)];
  return intent?.type === "command" ? (intent.hosts ?? []).map(urlFor) : [];
}

function urlFor(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `https://[${host}]/` : `https://${host}/`;
}

// Who denies `edit` on a file means no less by it when the tool is called `write`.
function isAbout(rule: Rule, act: Act): boolean {
  const { tool } = rule;
  const { intent } = act;
  if (tool === "outside") return isOutside(act);
  if (tool === "network") return isReaching(rule, intent);
  if (tool === "publish") return intent?.type === "port" && intent.direction === "publish";
  // These are no calls of the tool that the command runs in.
  if (intent?.type === "network" || intent?.type === "port") return false;
  return tool === act.tool || (intent !== null && spokenOf[tool] === intent.type);
}

/** A rule on a port is about that port alone, and one on hosts about no port. */
function isReaching({ pattern }: Rule, intent: Intent | null): boolean {
  const isPort = intent?.type === "port" && intent.direction === "host";
  if (isPort) return pattern?.type !== "host";
  return pattern?.type !== "port" && addressesOf(intent).length > 0;
}

// Who allows a command where it is held has not said that it may leave, nor that it gets a secret.
function goesAsFar({ tool }: Rule, act: Act): boolean {
  if (act.intent?.type === "command" && (act.intent.secrets?.length ?? 0) > 0) return false;
  return tool === "outside" || !isOutside(act);
}

function isOutside({ intent }: Act): boolean {
  return intent?.type === "command" && intent.isOutside === true;
}

const spokenOf: Readonly<Record<string, string>> = {
  read: "look",
  edit: "change",
  write: "change",
  bash: "command",
  fetch: "fetch",
};

function isSurelyReached(
  patterns: readonly Extract<Pattern, { type: "path" }>[],
  reached: readonly Reached[],
  ground: Ground,
): boolean {
  if (reached.length === 0) return false;
  return reached.every((each) => patterns.some((pattern) => isSurelyPath(pattern, each, ground)));
}

function ofType<Type extends Pattern["type"]>(
  type: Type,
  patterns: readonly Pattern[],
): readonly Extract<Pattern, { type: Type }>[] {
  return patterns.filter((pattern): pattern is Extract<Pattern, { type: Type }> => pattern.type === type);
}

export interface DeniedPlaces {
  /** Files and folders that nobody is to read; absolute. */
  readonly unseen: readonly string[];
  /** Those that nobody is to change. */
  readonly unchanged: readonly string[];
  /** Rules on paths whose places are among these. */
  readonly held: readonly Rule[];
  /** Those that bind the tools alone, whatever a command does. */
  readonly unheld: readonly Rule[];
}

type Around = Pick<Ground, "root" | "home">;

/** Denied paths that a sandbox can also close to commands: whole files and folders, no name patterns. */
export function deniedPlaces(deny: readonly Rule[], around: Around): DeniedPlaces {
  const denied = deny.filter(isOnFiles).map((rule) => ({ rule, place: placeOf(rule, around) }));
  const held = denied.filter((each): each is Held => each.place !== null);
  return {
    unseen: held.filter(({ rule }) => rule.tool === "read").map(({ place }) => place),
    unchanged: held.filter(({ rule }) => rule.tool !== "read").map(({ place }) => place),
    held: held.map(({ rule }) => rule),
    unheld: denied.filter(({ place }) => place === null).map(({ rule }) => rule),
  };
}

interface Held {
  readonly rule: Rule;
  readonly place: string;
}

function isOnFiles({ tool }: Rule): boolean {
  return tool === "read" || tool === "edit" || tool === "write";
}

/** Null where it is no one place, or one in which the workspace lies: in a sandbox that stays as it is. */
function placeOf({ tool, pattern }: Rule, { root, home }: Around): string | null {
  if (pattern === null) return tool === "read" ? null : root;
  if (pattern.type !== "path") return null;
  const names = pattern.names.at(-1) === "**" ? pattern.names.slice(0, -1) : pattern.names;
  const start = { workspace: root, home, root: "" }[pattern.from];
  const place = [start, ...names].join("/") || "/";
  const isAround = place !== root && isWithin(place, root);
  return isAround || names.some((name) => /[*?]/.test(name)) ? null : place;
}
