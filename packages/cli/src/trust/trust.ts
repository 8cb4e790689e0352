/** Decides whether a folder is trusted: its files must be, byte for byte, those the user trusted. Nothing in the folder can grant trust. */

import type { HostContext } from "@pith/host/host-context";
import { escapeLineBreaks } from "@pith/host/text/safe-text";
import type { FolderTrust } from "@pith/host/trust/folder-trust";
import {
  hashProject,
  type ProjectFile,
  type ProjectFileKind,
  type ProjectFiles,
  readProjectFiles,
  trustRequiredPaths,
} from "@pith/host/trust/project-files";

export interface CheckTrustOptions extends Pick<HostContext, "cwd" | "home" | "userHome"> {
  /** Whether the user trusts the folder for this run only. This is not saved. */
  readonly isTrustedForRun?: boolean;
  /** The hash of the files that this run trusts. A sub-agent gets that of the process that started it. */
  readonly trustedHash?: string | undefined;
}

/** The environment variable with `trustedHash`. */
export const TRUSTED_HASH_VARIABLE = "PITH_SUBAGENT_TRUST";

export async function checkTrust({
  cwd,
  home,
  userHome,
  isTrustedForRun = false,
  trustedHash,
}: CheckTrustOptions): Promise<FolderTrust> {
  const project = await readProjectFiles({ cwd, home, userHome });
  if (project.files.length === 0) return { type: "untrusted", reason: "never", project, changes: [], notes: [] };
  return isTrustedForRun || (trustedHash !== undefined && hashProject(project) === trustedHash)
    ? { type: "trusted", project, notes: [] }
    : await compareWithRecord(project, home);
}

async function compareWithRecord(project: ProjectFiles, home: string): Promise<FolderTrust> {
  // Loaded lazily, because most folders have no files that need trust.
  const { readTrust, findChanges } = await import("./trust-file.ts");
  const { projects, notes } = await readTrust(home);
  const record = projects.get(project.root);
  if (!record) return { type: "untrusted", reason: "never", project, changes: [], notes };
  const changes = await findChanges(record, project);
  if (changes.length === 0) return { type: "trusted", project, notes };
  return { type: "untrusted", reason: "changed", project, changes, notes };
}

function listKinds(files: readonly Pick<ProjectFile, "kind">[]): readonly ProjectFileKind[] {
  const presentKinds = new Set(files.map(({ kind }) => kind));
  return [...new Set(trustRequiredPaths.map(({ kind }) => kind))].filter((kind) => presentKinds.has(kind));
}

/** Null if every file of the folder is used. */
export function formatTrustNotice(folder: FolderTrust): string | null {
  if (folder.type === "trusted" || folder.project.files.length === 0) return formatUnreadNotice(folder.project);
  const { project, reason, changes } = folder;
  const consequence = `so its ${joinWithAnd(listKinds(project.files).map((kind) => KIND_LABELS[kind] ?? kind))} are not used; review them with: pith trust --show, then run: pith trust`;
  if (reason === "never") return `this folder is not trusted, ${consequence}`;
  const changedFiles =
    changes.length === 1 ? `${escapeLineBreaks(changes[0]?.name ?? "")} has` : `${changes.length} files have`;
  return `${changedFiles} changed since this folder was trusted, ${consequence}`;
}

/** Reports files that cannot be used even if the folder is trusted. */
function formatUnreadNotice({ unread: [firstFile, ...otherFiles] }: ProjectFiles): string | null {
  if (!firstFile) return null;
  const moreText = otherFiles.length === 0 ? "" : ` (and ${otherFiles.length} more; list them with: pith trust --show)`;
  return `${escapeLineBreaks(firstFile.name)} ${firstFile.why}, so it is not used${moreText}`;
}

const KIND_LABELS: Readonly<Partial<Record<ProjectFileKind, string>>> = {
  prompts: "prompt templates",
  servers: "MCP servers",
};

function joinWithAnd(kinds: readonly string[]): string {
  const last = kinds.at(-1) ?? "";
  return kinds.length < 2 ? last : `${kinds.slice(0, -1).join(", ")} and ${last}`;
}
