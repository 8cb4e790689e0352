/** Says in the sandbox runtime's words what a command may read and write, and which port it reaches. */

import { lstatSync } from "node:fs";
import { join } from "node:path";
import {
  GUARDED_FILES,
  GUARDED_FOLDERS,
  MERCURIAL_NAMES,
  STARTUP_NAMES,
} from "../../../permissions/protected-paths.ts";
import { isWithin } from "../../../text.ts";
import { type Box, otherSessions, presentPath, presentPaths } from "../box.ts";
import { guardedFurtherDown, repositoriesAround, repositoryOf } from "../git-paths.ts";
import { nestedNames } from "../guarded-paths.ts";
import { findHomes, findSystemSecrets, secretPlacesIn } from "../secret-places.ts";
import { findToolchains } from "../toolchains.ts";
import type { LiteralPath, RuntimeConfig } from "./host.ts";
import { type InstalledRuntime, packageFolder, RUNTIME } from "./install.ts";

export interface RuntimeBox extends Omit<Box, "program" | "journal"> {
  readonly runtime: InstalledRuntime;
}

/** What stays the same for all commands of a shell. All paths through no link. */
export interface StandingPlaces {
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** Folders beside the workspace in which commands may write when they may write at all. */
  readonly writable: readonly string[];
  /** Guarded names further down in the workspace. */
  readonly nested: readonly string[];
}

/** Looked at once, before any command could have put a link there. */
export function standingPlaces(box: RuntimeBox): StandingPlaces {
  const home = presentPath(box.home) ?? box.home;
  const homes = [...new Set([home, ...findHomes()])];
  const secrets = [...secretPlacesIn(home), ...findSystemSecrets()];
  const isFit = (path: string): boolean => !isWithin(path, home) && !secrets.some((secret) => isWithin(secret, path));
  const wished = (paths: readonly string[] = []): readonly string[] => presentPaths(paths).filter(isFit);
  const toolchains = findToolchains({ ...box, home, hidden: homes });
  return {
    denyRead: [...homes, ...secrets, ...presentPaths([...(box.hidden ?? []), ...otherSessions(box)])],
    allowRead: [
      ...toolchains.filter((mount) => mount.as === "readable").map(({ path }) => path),
      ...repositoriesAround(box.root, home),
      ...wished(box.readable),
      ...presentPaths(box.shown ?? []),
      // What the runtime itself starts inside: a filter on Linux, an agent for Java.
      join(packageFolder(box.runtime.folder, RUNTIME), "vendor"),
    ],
    writable: wished(box.writable),
    nested: nestedNames(box.root),
  };
}

export type CommandConfig =
  | { readonly type: "config"; readonly config: RuntimeConfig }
  /** Something that has to stay as it is could not be kept. */
  | { readonly type: "unkept"; readonly why: string };

export interface CommandPlaces extends RuntimeBox {
  readonly standing: StandingPlaces;
  /** Files of the real home that this command alone may read; through no link. */
  readonly credentialFiles?: readonly string[];
}

/** Asked before each command. The root goes through no link. */
export function commandConfig({ standing, credentialFiles = [], ...box }: CommandPlaces): CommandConfig {
  const mayWrite = box.mayWrite();
  const roots = mayWrite ? [box.root, ...standing.writable.filter(isRepository)] : [];
  const repositories = roots.map((root) => repositoryOf(root, box.home));
  const link = repositories.find((repository) => repository.link !== null)?.link;
  if (link) return { type: "unkept", why: `${link} is reached by a link` };
  const own = [box.privateHome, box.temporary];
  const writable = [...standing.writable, ...repositories.flatMap((repository) => repository.writable), box.root];
  const guarded = [
    ...roots.flatMap(guardedNames),
    ...(mayWrite ? guardedFurtherDown(standing.nested, box.home) : []).map(({ path }) => path),
    ...repositories.flatMap((repository) => repository.guarded).map(({ path }) => path),
    ...(box.guarded ?? []),
  ];
  const isKept = (path: string): boolean => !own.some((each) => isWithin(path, each));
  return {
    type: "config",
    config: {
      network: networkConfig(box),
      filesystem: {
        denyRead: literal(standing.denyRead.filter((path) => !credentialFiles.includes(path))),
        allowRead: literal([...standing.allowRead, ...standing.writable, box.root, ...own, ...credentialFiles]),
        allowWrite: literal([...own, ...(mayWrite ? writable : [])]),
        // A guarded folder around the private ones would close these; it is not among what commands may write anyway.
        denyWrite: literal(guarded.filter(isKept)),
      },
    },
  };
}

export function networkConfig({
  network,
  unixSockets = false,
}: Pick<RuntimeBox, "network" | "unixSockets">): RuntimeConfig["network"] {
  return {
    ...{ allowedDomains: [], deniedDomains: [], allowLocalBinding: false, allowAllUnixSockets: unixSockets },
    ...(network && { httpProxyPort: network.port, socksProxyPort: network.port }),
  };
}

/** Absent ones too: a rule on a path holds whether something is there or not. */
function guardedNames(root: string): readonly string[] {
  return [...GUARDED_FOLDERS, ...GUARDED_FILES, ...MERCURIAL_NAMES, ...STARTUP_NAMES].map((name) => join(root, name));
}

function isRepository(folder: string): boolean {
  return lstatSync(join(folder, ".git"), { throwIfNoEntry: false }) !== undefined;
}

function literal(paths: readonly string[]): readonly LiteralPath[] {
  return [...new Set(paths)].map((path) => ({ path, literal: true }));
}
