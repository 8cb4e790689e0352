/** Creates the sandbox runtime's configuration: what a command may read and write, and which port it reaches. */

import { join } from "node:path";
import { GUARDED_FILES, GUARDED_FOLDERS, MERCURIAL_NAMES, STARTUP_NAMES } from "../../permissions/protected-paths.ts";
import { isWithin } from "../../text.ts";
import { findRepositoryPaths, isRepository, listGuardedNestedPaths } from "../sandbox/git-paths.ts";
import { findNestedNames } from "../sandbox/guarded-paths.ts";
import {
  otherSessionFolders,
  resolveExistingPath,
  resolveExistingPaths,
  type SandboxOptions,
} from "../sandbox/options.ts";
import { findHiddenPlaces, findOuterProjects } from "../sandbox/project-folders.ts";
import { findHomes, findSystemSecrets, secretPathsIn } from "../sandbox/secret-paths.ts";
import { findToolchains } from "../sandbox/toolchains.ts";
import type { LiteralPath, RuntimeConfig } from "./host-process.ts";
import { type InstalledRuntime, packageFolder, RUNTIME_PACKAGE } from "./install.ts";

/** Options of `runtimeShell`. */
export interface RuntimeSandboxOptions extends Omit<SandboxOptions, "program" | "journal" | "caught"> {
  readonly runtime: InstalledRuntime;
}

/** Paths that are the same for all commands of a shell; without links. */
export interface FixedPaths {
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** Folders outside the workspace in which commands may write if they may write at all. */
  readonly writable: readonly string[];
  /** Guarded names in subfolders of the workspace. */
  readonly nestedNames: readonly string[];
}

/** Resolved once, before any command could replace a folder by a link. */
export function findFixedPaths(sandbox: RuntimeSandboxOptions): FixedPaths {
  const home = resolveExistingPath(sandbox.home) ?? sandbox.home;
  const homes = [...new Set([home, ...findHomes()])];
  const secrets = [...secretPathsIn(home), ...findSystemSecrets()];
  const isPermitted = (path: string): boolean =>
    !isWithin(path, home) && !secrets.some((secret) => isWithin(secret, path));
  const listPermittedPaths = (paths: readonly string[] = []): readonly string[] =>
    resolveExistingPaths(paths).filter(isPermitted);
  const outerProjects = findOuterProjects(sandbox.root, home);
  const hidden = [...homes, ...findHiddenPlaces({ ...sandbox, outerProjects, hidden: homes })];
  const toolchains = findToolchains({ ...sandbox, home, hidden });
  return {
    denyRead: [
      ...hidden,
      ...secrets,
      ...resolveExistingPaths([...(sandbox.hidden ?? []), ...otherSessionFolders(sandbox)]),
    ],
    allowRead: [
      ...toolchains.filter((mount) => mount.access === "readable").map(({ path }) => path),
      ...outerProjects,
      ...listPermittedPaths(sandbox.readable),
      ...resolveExistingPaths(sandbox.shown ?? []),
      // The runtime starts programs of its own inside: a filter on Linux, an agent for Java.
      join(packageFolder(sandbox.runtime.folder, RUNTIME_PACKAGE), "vendor"),
    ],
    writable: listPermittedPaths(sandbox.writable),
    nestedNames: findNestedNames(sandbox.root),
  };
}

export type CommandConfig =
  | { readonly type: "config"; readonly config: RuntimeConfig }
  /** A path that must be protected could not be. */
  | { readonly type: "failed"; readonly why: string };

export interface CommandConfigOptions extends RuntimeSandboxOptions {
  readonly fixedPaths: FixedPaths;
  /** Files of the real home that only this command may read; without links. */
  readonly credentialFiles?: readonly string[];
}

/** Called before each command. The root must be a real path. */
export function createCommandConfig({
  fixedPaths,
  credentialFiles = [],
  ...sandbox
}: CommandConfigOptions): CommandConfig {
  const mayWrite = sandbox.mayWrite();
  const roots = mayWrite ? [sandbox.root, ...fixedPaths.writable.filter(isRepository)] : [];
  const repositories = roots.map((root) => findRepositoryPaths({ ...sandbox, root }));
  const link = repositories.find((repository) => repository.linkedPath !== null)?.linkedPath;
  if (link) return { type: "failed", why: `${link} is reached through a symbolic link` };
  const privateFolders = [sandbox.privateHome, sandbox.temporary];
  const writable = [...fixedPaths.writable, ...repositories.flatMap((repository) => repository.writable), sandbox.root];
  const guarded = [
    ...roots.flatMap(listGuardedPaths),
    ...(mayWrite ? listGuardedNestedPaths(fixedPaths.nestedNames, sandbox.home) : []).map(({ path }) => path),
    ...repositories.flatMap((repository) => repository.guarded).map(({ path }) => path),
    ...(sandbox.guarded ?? []),
  ];
  const isOutsidePrivate = (path: string): boolean => !privateFolders.some((each) => isWithin(path, each));
  return {
    type: "config",
    config: {
      network: createNetworkConfig(sandbox),
      filesystem: {
        denyRead: toLiteralPaths(fixedPaths.denyRead.filter((path) => !credentialFiles.includes(path))),
        allowRead: toLiteralPaths([
          ...fixedPaths.allowRead,
          ...fixedPaths.writable,
          sandbox.root,
          ...privateFolders,
          ...credentialFiles,
        ]),
        allowWrite: toLiteralPaths([...privateFolders, ...(mayWrite ? writable : [])]),
        // A guarded folder that contains the private ones would block them; commands may not write there anyway.
        denyWrite: toLiteralPaths(guarded.filter(isOutsidePrivate)),
      },
    },
  };
}

export function createNetworkConfig({
  network,
  unixSockets = false,
}: Pick<RuntimeSandboxOptions, "network" | "unixSockets">): RuntimeConfig["network"] {
  return {
    ...{ allowedDomains: [], deniedDomains: [], allowLocalBinding: false, allowAllUnixSockets: unixSockets },
    ...(network && { httpProxyPort: network.port, socksProxyPort: network.port }),
  };
}

/** Includes missing paths: a rule for a path holds whether it exists or not. */
function listGuardedPaths(root: string): readonly string[] {
  return [...GUARDED_FOLDERS, ...GUARDED_FILES, ...MERCURIAL_NAMES, ...STARTUP_NAMES].map((name) => join(root, name));
}

function toLiteralPaths(paths: readonly string[]): readonly LiteralPath[] {
  return [...new Set(paths)].map((path) => ({ path, literal: true }));
}
