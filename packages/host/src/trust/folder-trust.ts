/** Defines what is known about a folder: whether the user trusts its files, and their bytes. Whoever builds an agent finds this out. */

import type { ProjectFile, ProjectFileKind, ProjectFiles } from "./project-files.ts";

export type FolderTrust = TrustedFolder | UntrustedFolder;

export interface TrustedFolder {
  readonly type: "trusted";
  /** The project with the trusted bytes. No file is read a second time. */
  readonly project: ProjectFiles;
  readonly notes: readonly string[];
}

export interface UntrustedFolder {
  readonly type: "untrusted";
  /** `changed`: the folder was trusted, but its files have changed since. */
  readonly reason: "never" | "changed";
  /** If the project has no files, there is nothing to trust. */
  readonly project: ProjectFiles;
  /** The changes since the folder was trusted. */
  readonly changes: readonly TrustChange[];
  readonly notes: readonly string[];
}

export type TrustChange =
  | { readonly type: "added" | "removed"; readonly name: string }
  /** There is no diff if the old text was not stored, or if one of the versions is not text. */
  | { readonly type: "changed"; readonly name: string; readonly diff?: string };

/** Lists the files of one kind, those of the root first. Empty if the folder is not trusted. */
export function listTrustedFiles(folder: FolderTrust, kind: ProjectFileKind): readonly ProjectFile[] {
  return folder.type === "trusted" ? folder.project.files.filter((file) => file.kind === kind) : [];
}
