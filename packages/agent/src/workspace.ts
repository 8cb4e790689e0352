/** The port to the place where an agent works: its files and its shell. Handed in, so that the same tools work on a disk, in a sandbox or elsewhere. */

export interface Workspace {
  /** The folder from which relative paths start; absolute. */
  readonly root: string;
  readonly files: WorkspaceFiles;
  readonly shell: WorkspaceShell;
}

export interface WorkspaceFiles {
  /** A path as a model writes it (relative, absolute, with ~), absolute. */
  resolve(path: string): string;
  read(path: string, act?: { readonly signal?: AbortSignal }): Promise<FileRead>;
  /** Replaces or creates the file whole, its folders too; nobody sees half of it. */
  write(path: string, bytes: Uint8Array): Promise<FileWritten>;
}

export type FileRead =
  | { readonly type: "read"; readonly bytes: Uint8Array }
  | { readonly type: "missing" | "folder" | "refused" | "too-large"; readonly message: string };

export type FileWritten = { readonly type: "written" } | { readonly type: "refused"; readonly message: string };

export interface WorkspaceShell {
  run(command: string, act: ShellAct): Promise<ShellEnd>;
}

export interface ShellAct {
  readonly signal: AbortSignal;
  /** Milliseconds after which the whole process group is ended; none: until it ends by itself. */
  readonly timeoutMs?: number;
  /** What comes from it, both streams in the order of arrival. */
  readonly output: (chunk: Uint8Array) => void;
}

export type ShellEnd =
  | { readonly type: "ended"; readonly exitCode: number }
  | { readonly type: "killed"; readonly by: "signal" | "timeout" | "abort"; readonly message: string }
  | { readonly type: "not-started"; readonly message: string };
