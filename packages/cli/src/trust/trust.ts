/** Decides whether a folder is trusted: only files the user has trusted count, byte for byte. Nothing in the folder can grant trust. */

import { escapeLineBreaks } from "../text/safe-text.ts";
import {
  type ProjectFile,
  type ProjectFileKind,
  type ProjectFiles,
  readProjectFiles,
  trustRequiredPaths,
} from "./project-files.ts";
import type { TrustChange } from "./trust-file.ts";

export interface CheckTrustOptions {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome: string;
  /** Whether the user said so for this call; nothing of it is kept. */
  readonly isTrustedForRun?: boolean;
}

export type FolderTrust = Trusted | Untrusted;

export interface Trusted {
  readonly type: "trusted";
  /** With the very bytes that were trusted: nothing is read a second time. */
  readonly project: ProjectFiles;
  readonly notes: readonly string[];
}

export interface Untrusted {
  readonly type: "untrusted";
  /** `changed`: it was trusted, and is not the same any more. */
  readonly reason: "never" | "changed";
  /** May be nothing at all: then there is nothing to trust. */
  readonly project: ProjectFiles;
  /** Since it was trusted. */
  readonly changes: readonly TrustChange[];
  readonly notes: readonly string[];
}

export async function checkTrust({
  cwd,
  home,
  userHome,
  isTrustedForRun = false,
}: CheckTrustOptions): Promise<FolderTrust> {
  const project = await readProjectFiles({ cwd, home, userHome });
  if (project.files.length === 0) return { type: "untrusted", reason: "never", project, changes: [], notes: [] };
  return isTrustedForRun ? { type: "trusted", project, notes: [] } : await compareWithRecord(project, home);
}

async function compareWithRecord(project: ProjectFiles, home: string): Promise<FolderTrust> {
  // Most folders hold nothing, and their users do not wait for this.
  const { readTrust, findChanges } = await import("./trust-file.ts");
  const { projects, notes } = await readTrust(home);
  const record = projects.get(project.root);
  if (!record) return { type: "untrusted", reason: "never", project, changes: [], notes };
  const changes = findChanges(record, project);
  if (changes.length === 0) return { type: "trusted", project, notes };
  return { type: "untrusted", reason: "changed", project, changes, notes };
}

/** Of one kind, those of the root first; none where the folder is not trusted. */
export function listTrustedFiles(folder: FolderTrust, kind: ProjectFileKind): readonly ProjectFile[] {
  return folder.type === "trusted" ? folder.project.files.filter((file) => file.kind === kind) : [];
}

export function listKinds(files: readonly Pick<ProjectFile, "kind">[]): readonly ProjectFileKind[] {
  const presentKinds = new Set(files.map(({ kind }) => kind));
  return [...new Set(trustRequiredPaths.map(({ kind }) => kind))].filter((kind) => presentKinds.has(kind));
}

/** Null where there is nothing to say: all that it holds is used. */
export function formatTrustNotice(folder: FolderTrust): string | null {
  if (folder.type === "trusted" || folder.project.files.length === 0) return formatUnreadNotice(folder.project);
  const { project, reason, changes } = folder;
  const consequence = `so its ${joinWithAnd(listKinds(project.files))} are not used; look with: pith trust --show, then: pith trust`;
  if (reason === "never") return `this folder is not trusted, ${consequence}`;
  const changedFiles =
    changes.length === 1 ? `${escapeLineBreaks(changes[0]?.name ?? "")} has` : `${changes.length} files have`;
  return `${changedFiles} changed since this folder was trusted, ${consequence}`;
}

/** What trust does not help with. */
function formatUnreadNotice({ unread: [firstFile, ...otherFiles] }: ProjectFiles): string | null {
  if (!firstFile) return null;
  const moreText = otherFiles.length === 0 ? "" : `, nor ${otherFiles.length} more, which pith trust --show names`;
  return `${escapeLineBreaks(firstFile.name)} ${firstFile.why}, so it is not used${moreText}`;
}

function joinWithAnd(kinds: readonly string[]): string {
  const last = kinds.at(-1) ?? "";
  return kinds.length < 2 ? last : `${kinds.slice(0, -1).join(", ")} and ${last}`;
}
