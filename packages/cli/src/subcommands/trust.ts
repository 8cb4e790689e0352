/** Implements `pith trust`: shows the files of a folder, trusts exactly what was shown, revokes trust, or lists trusted folders. */

import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Redaction } from "@pith/context";
import type { HostContext } from "@pith/host/host-context";
import { readContextFiles } from "@pith/host/resources/context-files";
import { formatCount } from "@pith/host/text/format";
import { escapeLineBreaks } from "@pith/host/text/safe-text";
import { usageError } from "@pith/host/text/usage-error";
import type { FolderTrust } from "@pith/host/trust/folder-trust";
import { findProjectFolders, type ProjectFiles } from "@pith/host/trust/project-files";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { createRedaction } from "../sessions/entries.ts";
import { canPrompt, confirm } from "../text/process-io.ts";
import { createTrustQuestion, formatTrustQuestion, type TrustQuestion, toQuestionJson } from "../trust/question.ts";
import { checkTrust } from "../trust/trust.ts";
import { createTrustRecord, readTrust, type SaveTrustResult, saveTrust } from "../trust/trust-file.ts";

async function listTrustedFolders(home: string): Promise<SubcommandResult> {
  const { projects, notes } = await readTrust(home);
  const [error] = notes;
  if (error !== undefined) return { type: "failed", message: error };
  const data = [...projects]
    .map(([root, { trusted, files }]) => ({ root, trusted, files: Object.keys(files).length }))
    .sort((a, b) => (a.root < b.root ? -1 : 1));
  const lines = data.map(
    ({ root, trusted, files }) => `${trusted.slice(0, 10)}  ${escapeLineBreaks(root)}  (${formatCount(files, "file")})`,
  );
  return { type: "success", text: lines.length > 0 ? lines.join("\n") : "No trusted folders.", data };
}

export interface TrustOptions extends Pick<HostContext, "home"> {
  /** A file with a secret is saved only as a hash, without its text. */
  readonly redaction: Redaction;
}

/** Trusts exactly the bytes that were shown. Files that have changed since remain untrusted. */
export async function trustShownFiles(
  projectFiles: ProjectFiles,
  { home, redaction }: TrustOptions,
): Promise<SaveTrustResult> {
  const trustedAt = new Date().toISOString();
  return await saveTrust(projectFiles.root, {
    home,
    updateRecord: (previousRecord) => createTrustRecord(projectFiles, { trustedAt, previousRecord, redaction }),
  });
}

/** Also works for a folder that no longer exists. */
async function revokeTrust(folder: string, home: string): Promise<SubcommandResult> {
  const root = await findProjectRoot(folder);
  const { projects, notes } = await readTrust(home);
  const [error] = notes;
  if (error !== undefined) return { type: "failed", message: error };
  const wasTrusted = projects.has(root);
  if (wasTrusted) {
    const saveResult = await saveTrust(root, { home, updateRecord: () => null });
    if (saveResult.type === "failed") return saveResult;
  }
  const text = wasTrusted ? `${root} is no longer trusted.` : `${root} was not trusted.`;
  return { type: "success", text, data: { root, isTrusted: false, wasTrusted } };
}

async function findProjectRoot(folder: string): Promise<string> {
  const realFolder = await realpath(folder).catch(() => null);
  if (realFolder === null) return folder;
  const [root = realFolder] = await findProjectFolders(realFolder, homedir());
  return root;
}

/** Redacts the result, because a folder may contain keys of its MCP servers. */
export async function runTrust(call: SubcommandCall): Promise<SubcommandResult> {
  const redaction = await createRedaction(call);
  return redaction.redact(await runTrustAction(call, redaction));
}

async function runTrustAction(call: SubcommandCall, redaction: Redaction): Promise<SubcommandResult> {
  const { arguments: positionals, cwd, home, flags } = call;
  const actionFlags = ["show", "revoke", "list", "yes"].filter((flag) => flags[flag]);
  if (actionFlags.length > 1)
    return usageError(`--${actionFlags.join(" and --")} cannot be combined; use only one of them`);
  if (flags.list) return await listTrustedFolders(home);
  const folder = resolve(cwd, positionals[0] ?? ".");
  if (flags.revoke) return await revokeTrust(folder, home);
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return usageError(`${folder} is not a folder`);
  const { folderTrust, question } = await inspectFolder(folder, home);
  const needsDecision = folderTrust.type === "untrusted" && question.groups.length > 0;
  return needsDecision && !flags.show
    ? await decideTrust({ folderTrust, question }, { call, redaction })
    : createQuestionResult(question, folderTrust.notes);
}

interface FolderInspection {
  readonly folderTrust: FolderTrust;
  readonly question: TrustQuestion;
}

export async function inspectFolder(cwd: string, home: string): Promise<FolderInspection> {
  const paths = { cwd, home, userHome: homedir() };
  const folderTrust = await checkTrust(paths);
  const { folders, root } = folderTrust.project;
  // The user's own context file is not part of the project.
  const { texts } = await readContextFiles({ ...paths, cwd: folders.at(-1) ?? root, mayRead: async () => true });
  const folderTexts = texts.filter(({ path }) => folders.includes(dirname(path)));
  return { folderTrust, question: createTrustQuestion(folderTrust, folderTexts) };
}

async function decideTrust(
  { folderTrust, question }: FolderInspection,
  { call, redaction }: { readonly call: SubcommandCall; readonly redaction: Redaction },
): Promise<SubcommandResult> {
  const { project: projectFiles, notes } = folderTrust;
  const { home, flags, notify } = call;
  if (!flags.yes && !canPrompt()) {
    const hint = "Nothing was trusted. To trust this, run the command again with --yes.";
    // Exit code 1, so that a script does not continue as if the folder were trusted.
    return { ...createQuestionResult(question, [...notes, hint]), code: 1 };
  }
  if (!flags.yes) {
    notify(`${redaction.redact(formatTrustQuestion(question))}\n`);
    if (!(await confirm("Trust this folder?"))) return { type: "failed", message: "nothing was trusted" };
  }
  const saveResult = await trustShownFiles(projectFiles, { home, redaction });
  if (saveResult.type === "failed") return saveResult;
  const trustedQuestion: TrustQuestion = { ...question, reason: "trusted" };
  return flags.yes
    ? createQuestionResult(trustedQuestion)
    : { ...createQuestionResult(trustedQuestion), text: `${projectFiles.root} is now trusted in its current state.` };
}

function createQuestionResult(
  question: TrustQuestion,
  notes: readonly string[] = [],
): Extract<SubcommandResult, { type: "success" }> {
  const text = [formatTrustQuestion(question), ...notes].join("\n\n");
  return { type: "success", text, data: toQuestionJson(question) };
}
