/** Defines permission requests and resolves their paths. Every tool call needs permission, and no text that a model reads can grant it. */

import type { Intent, PermissionGrant } from "../tool.ts";

/** A permission check that waits for the answer to its question. */
export interface PermissionCheck {
  permit(request: ToolRequest, options: { readonly signal: AbortSignal }): Promise<PermissionResult>;
}

/** The permission check that the agent's loop calls before each tool call. A `PermissionCheck` is one, too. */
export interface CallPermissionCheck {
  permit(request: ToolRequest, options: PermitCallOptions): Promise<CallPermissionResult>;
}

export interface PermitCallOptions {
  readonly signal: AbortSignal;
  /** Whether the result may be `later`. */
  readonly mayAnswerLater: boolean;
}

/** A tool call whose permission is checked. */
export interface ToolRequest {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Null if the tool does not declare what it is about to do. */
  readonly intent: Intent | null;
  /** The call was started before and may have completed, so it may run twice. */
  readonly isAgain?: boolean;
  /** Where the session records the call. Absent for a request that a running call makes, such as a connection. */
  readonly recorded?: RecordedCall;
}

/** A tool call as the session records it. The audit log refers to it. */
export interface RecordedCall {
  readonly callId: string;
  /** The number of the entry with the call. */
  readonly entry?: number | undefined;
  /** The arguments that run, redacted: those of the call or, if a hook changed them, those in the details of its result. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Whether a tool call is permitted. */
export type PermissionResult =
  | { readonly type: "permitted"; readonly grant?: PermissionGrant }
  /** `why` is sent to the model. */
  | { readonly type: "refused"; readonly why: string };

/** Whether a tool call that has not started is permitted. `later`: the user has not answered yet, so the call stays open. */
export type CallPermissionResult = PermissionResult | { readonly type: "later" };

/** A request with its paths resolved, so that later steps need no file access. */
export interface PermissionRequest {
  readonly toolRequest: ToolRequest;
  /** One for each path of the intent. */
  readonly resolvedPaths: readonly ResolvedPath[];
}

/** Both paths are written with slashes, as rules are. */
export interface ResolvedPath {
  readonly path: string;
  /** Absolute, with all links resolved; null if it cannot be resolved. */
  readonly realPath: string | null;
  /** The paths in the system's own spelling, if it differs. Files are opened by these. */
  readonly native?: Omit<ResolvedPath, "native">;
}

/** Converts `C:\a\b` to `C:/a/b`. On other systems a backslash is part of a name, and no absolute path starts like this. */
function withSlashes(path: string): string {
  return /^(?:[A-Za-z]:\\|\\\\)/.test(path) ? path.replaceAll("\\", "/") : path;
}

/** Resolves `..` and links, also for a path that does not exist yet; null if it cannot be resolved. */
export type ResolveRealPath = (path: string) => Promise<string | null>;

/** The folders and files that permissions depend on. All paths are absolute. */
export interface PermissionPaths {
  /** The workspace. */
  readonly root: string;
  /** What `~` stands for. */
  readonly home: string;
  /** Folders for temporary files, such as /tmp. */
  readonly temporaryFolders: readonly string[];
  /** Keys, sessions and other data that no tool may read or change; a folder includes what is in it. */
  readonly privatePaths: readonly string[];
  /** Files and folders with settings and remembered rules, which no tool may change. */
  readonly permissionFiles: readonly string[];
  /** Reading outside the workspace, the temporary folders and these needs an answer. Absent: only reading secrets does. */
  readonly readableFolders?: readonly string[] | undefined;
  /** Whether nothing outside the workspace, these folders and the sandbox may be used, whatever mode, rules and user say. */
  readonly isConfined?: boolean | undefined;
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

/** Permission paths before they are resolved. The values of the sandbox and of the session may arrive later than the rest. */
export interface PermissionPathsInput
  extends Omit<PermissionPaths, "temporaryFolders" | "privatePaths" | "hasSandbox"> {
  readonly temporaryFolders: readonly string[] | Promise<readonly string[]>;
  readonly privatePaths: readonly string[] | Promise<readonly string[]>;
  readonly hasSandbox?: boolean | Promise<boolean>;
}

// Private paths and permission files are listed by both paths, because a request may use either.
export async function resolvePermissionPaths(
  input: PermissionPathsInput,
  resolveRealPath: ResolveRealPath,
): Promise<PermissionPaths> {
  const resolve = async (path: string): Promise<string> => withSlashes((await resolveRealPath(path)) ?? path);
  const withRealPaths = async (paths: readonly string[]): Promise<readonly string[]> => [
    ...new Set([...paths.map(withSlashes), ...(await Promise.all(paths.map(resolve)))]),
  ];
  const { root, home, temporaryFolders, privatePaths, permissionFiles, readableFolders } = input;
  const { isConfined = false, hasSandbox = false } = input;
  return {
    root: await resolve(root),
    home: await resolve(home),
    temporaryFolders: await Promise.all((await temporaryFolders).map(resolve)),
    privatePaths: await withRealPaths(await privatePaths),
    permissionFiles: await withRealPaths(permissionFiles),
    ...(readableFolders && { readableFolders: await Promise.all(readableFolders.map(resolve)) }),
    isConfined,
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
