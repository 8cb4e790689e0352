/** The sockets of other programs: a command that may talk to one may have things done outside its sandbox, though it can write nothing there. */

import { lstatSync, readFileSync } from "node:fs";
import { SOCKET_VARIABLES } from "./places.ts";
import { presentPaths } from "./present-path.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Paths of those that there are. */
export function foreignSockets(environment: Environment): readonly string[] {
  const paths = new Set(presentPaths([...boundPaths(), ...namedPaths(environment)]));
  return [...paths].filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSocket());
}

/** The kernel's list: a line for each, the path last where it has one. */
function boundPaths(): readonly string[] {
  const list = readFileSync("/proc/net/unix", "utf8");
  return list.split("\n").flatMap((line) => /^(?:\S+ +){7}(\/.*)$/.exec(line)?.[1] ?? []);
}

/** What another container listens on is not in the list: `unix:path=/run/bus`, `unix:///run/docker.sock`, `/tmp/tmux-1/default,12,0`. */
function namedPaths(environment: Environment): readonly string[] {
  return SOCKET_VARIABLES.flatMap((name) => /\/(?!\/)[^,;]*/.exec(environment[name] ?? "")?.[0] ?? []);
}
