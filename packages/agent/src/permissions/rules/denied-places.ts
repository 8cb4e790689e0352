/** The places that rules deny, as far as a sandbox can close them to commands too: whole files and folders, and no patterns of names. */

import { isWithin } from "../../text/paths.ts";
import type { Ground } from "../sight.ts";
import type { Rule } from "./rule.ts";

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
