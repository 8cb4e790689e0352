/** Defines permission requests and resolves their paths. Every tool call needs a permit, and nothing a model has read can grant one. */

import type { Intent, PermissionGrant } from "../tool.ts";

/** The permissions of an agent, as its loop sees them. */
export interface PermissionCheck {
  permit(act: ToolRequest, asking: { readonly signal: AbortSignal }): Promise<PermissionResult>;
}

export interface ToolRequest {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Null where the tool does not say what it is about to do. */
  readonly intent: Intent | null;
  /** It was begun before and nobody knows whether it was done: whoever permits it knows that it may be done twice. */
  readonly isAgain?: boolean;
}

export type PermissionResult =
  | { readonly type: "permitted"; readonly grant?: PermissionGrant }
  /** `why` is told to the model. */
  | { readonly type: "refused"; readonly why: string };

/** A request with its paths resolved, so that later steps need no disk. */
export interface PermissionRequest {
  readonly toolRequest: ToolRequest;
  /** One for each path of its intent. */
  readonly resolvedPaths: readonly ResolvedPath[];
}

/** Rules and lists of names are written with slashes, so both paths are. */
export interface ResolvedPath {
  readonly path: string;
  /** Absolute, with every link followed; null where nobody can tell. */
  readonly realPath: string | null;
  /** The same two as the system spells them, where it spells them otherwise: these are opened. */
  readonly native?: Omit<ResolvedPath, "native">;
}

/** `C:\a\b` as `C:/a/b`. On other systems a backslash is a letter of a name, and no absolute path begins like this. */
export function withSlashes(path: string): string {
  return /^(?:[A-Za-z]:\\|\\\\)/.test(path) ? path.replaceAll("\\", "/") : path;
}

/** The port to where a path leads: `..` and links resolved, also where nothing is yet; null where it cannot be told. */
export type ResolveRealPath = (path: string) => Promise<string | null>;

/** The folders and files that matter to permissions; all absolute. */
export interface PermissionPaths {
  /** The workspace. */
  readonly root: string;
  /** What `~` stands for. */
  readonly home: string;
  /** Folders for files that nobody misses. */
  readonly temporaryFolders: readonly string[];
  /** Files with keys: no tool ever reads one. */
  readonly keyFiles: readonly string[];
  /** Files that decide what is permitted, settings and remembered rules: no tool ever changes one. */
  readonly permissionFiles: readonly string[];
  /** Whether commands run in a sandbox. */
  readonly hasSandbox?: boolean;
}

export async function resolveRequest(
  toolRequest: ToolRequest,
  resolveRealPath: ResolveRealPath,
): Promise<PermissionRequest> {
  const { intent } = toolRequest;
  const paths = intent?.type === "look" || intent?.type === "change" ? intent.paths : [];
  return { toolRequest, resolvedPaths: await Promise.all(paths.map((path) => resolvePath(path, resolveRealPath))) };
}

/** What permissions are made with: what the sandbox brings may be found out while everything else is made ready. */
export interface PermissionPathsInput extends Omit<PermissionPaths, "temporaryFolders" | "hasSandbox"> {
  readonly temporaryFolders: readonly string[] | Promise<readonly string[]>;
  readonly hasSandbox?: boolean | Promise<boolean>;
}

// Both names of each, because a rule or a path may bear either.
export async function resolvePermissionPaths(
  input: PermissionPathsInput,
  resolveRealPath: ResolveRealPath,
): Promise<PermissionPaths> {
  const resolve = async (path: string): Promise<string> => withSlashes((await resolveRealPath(path)) ?? path);
  const withRealPaths = async (paths: readonly string[]): Promise<readonly string[]> => [
    ...new Set([...paths.map(withSlashes), ...(await Promise.all(paths.map(resolve)))]),
  ];
  const { root, home, temporaryFolders, keyFiles, permissionFiles, hasSandbox = false } = input;
  return {
    root: await resolve(root),
    home: await resolve(home),
    temporaryFolders: await Promise.all((await temporaryFolders).map(resolve)),
    keyFiles: await withRealPaths(keyFiles),
    permissionFiles: await withRealPaths(permissionFiles),
    hasSandbox: await hasSandbox,
  };
}

async function resolvePath(path: string, resolveRealPath: ResolveRealPath): Promise<ResolvedPath> {
  return createResolvedPath({ path, realPath: await resolveRealPath(path) });
}

export function createResolvedPath(native: Omit<ResolvedPath, "native">): ResolvedPath {
  const path = withSlashes(native.path);
  const realPath = native.realPath === null ? null : withSlashes(native.realPath);
  return path === native.path && realPath === native.realPath ? native : { path, realPath, native };
}
