/** Implements `pith trust`: shows what a folder holds, trusts exactly what was shown, revokes that, or lists what is trusted. */

import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Redaction } from "@pith/context";
import type { SubcommandCall, SubcommandResult } from "../args/subcommand.ts";
import { readContextFiles } from "../resources/context-files.ts";
import { createRedaction } from "../sessions/entries.ts";
import { formatCount } from "../text/format.ts";
import { canPrompt, confirm } from "../text/process-io.ts";
import { escapeLineBreaks } from "../text/safe-text.ts";
import { usageError } from "../text/usage-error.ts";
import type { ProjectFiles } from "../trust/project-files.ts";
import { findProjectFolders } from "../trust/project-files.ts";
import { createTrustQuestion, formatTrustQuestion, type TrustQuestion, toQuestionJson } from "../trust/question.ts";
import { checkTrust, type FolderTrust } from "../trust/trust.ts";
import { createTrustRecord, readTrust, type SaveTrustResult, saveTrust } from "../trust/trust-file.ts";

export async function listTrustedFolders(home: string): Promise<SubcommandResult> {
  const { projects, notes } = await readTrust(home);
  const [error] = notes;
  if (error !== undefined) return { type: "failed", message: error };
  const data = [...projects]
    .map(([root, { trusted, files }]) => ({ root, trusted, files: Object.keys(files).length }))
    .sort((a, b) => (a.root < b.root ? -1 : 1));
  const lines = data.map(
    ({ root, trusted, files }) => `${trusted.slice(0, 10)}  ${escapeLineBreaks(root)}  (${formatCount(files, "file")})`,
  );
  return { type: "shown", text: lines.length > 0 ? lines.join("\n") : "no folder is trusted", data };
}

export interface TrustOptions {
  /** Pith's home. */
  readonly home: string;
  /** What it would change is kept by its hash alone. */
  readonly redaction: Redaction;
}

/** Trusts exactly the bytes that were shown, even if the files have changed since. */
export async function trustShownFiles(
  projectFiles: ProjectFiles,
  { home, redaction }: TrustOptions,
): Promise<SaveTrustResult> {
  const trusted = new Date().toISOString();
  return await saveTrust(projectFiles.root, {
    home,
    updateRecord: (before) =>
      createTrustRecord(projectFiles, { trustedAt: trusted, previousRecord: before, redaction }),
  });
}

/** Also for a folder that no longer exists. */
export async function revokeTrust(folder: string, home: string): Promise<SubcommandResult> {
  const root = await findProjectRoot(folder);
  const { projects, notes } = await readTrust(home);
  const [error] = notes;
  if (error !== undefined) return { type: "failed", message: error };
  const wasTrusted = projects.has(root);
  const saved = wasTrusted ? await saveTrust(root, { home, updateRecord: () => null }) : { type: "kept" as const };
  if (saved.type === "failed") return saved;
  const text = wasTrusted ? `${root} is no longer trusted` : `${root} was not trusted`;
  return { type: "shown", text, data: { root, isTrusted: false, wasTrusted } };
}

async function findProjectRoot(folder: string): Promise<string> {
  const realFolder = await realpath(folder).catch(() => null);
  if (realFolder === null) return folder;
  const [root = realFolder] = await findProjectFolders(realFolder, homedir());
  return root;
}

/** A folder may hold keys of its own servers: they are neither shown nor kept a second time. */
export async function runTrust(call: SubcommandCall): Promise<SubcommandResult> {
  const redaction = await createRedaction(call);
  return redaction.redact(await runTrustAction(call, redaction));
}

async function runTrustAction(call: SubcommandCall, redaction: Redaction): Promise<SubcommandResult> {
  const { arguments: positionals, cwd, home, flags } = call;
  const actionFlags = ["show", "revoke", "list", "yes"].filter((flag) => flags[flag]);
  if (actionFlags.length > 1)
    return usageError(`--${actionFlags.join(" and --")} exclude each other; write one of them`);
  if (flags.list) return await listTrustedFolders(home);
  const folder = resolve(cwd, positionals[0] ?? ".");
  if (flags.revoke) return await revokeTrust(folder, home);
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return usageError(`there is no folder ${folder}`);
  const { trusted, question } = await inspectFolder(folder, home);
  const needsDecision = trusted.type === "untrusted" && question.groups.length > 0;
  return needsDecision && !flags.show
    ? await decideTrust({ trusted, question }, { call, redaction })
    : createQuestionResult(question, trusted.notes);
}

interface FolderInspection {
  readonly trusted: FolderTrust;
  readonly question: TrustQuestion;
}

export async function inspectFolder(cwd: string, home: string): Promise<FolderInspection> {
  const paths = { cwd, home, userHome: homedir() };
  const trusted = await checkTrust(paths);
  const { folders, root } = trusted.project;
  // The user's own is no part of the project.
  const { texts } = await readContextFiles({ ...paths, cwd: folders.at(-1) ?? root, mayRead: async () => true });
  const folderTexts = texts.filter(({ path }) => folders.includes(dirname(path)));
  return { trusted, question: createTrustQuestion(trusted, folderTexts) };
}

interface TrustDecisionOptions {
  readonly call: SubcommandCall;
  readonly redaction: Redaction;
}

async function decideTrust(
  { trusted, question }: FolderInspection,
  { call, redaction }: TrustDecisionOptions,
): Promise<SubcommandResult> {
  const { project: projectFiles, notes } = trusted;
  const { home, flags, notify } = call;
  if (!flags.yes && !canPrompt()) {
    const hint = "nothing was trusted; say it again with --yes to trust this";
    // Whoever goes on only where it was trusted must not go on.
    return { ...createQuestionResult(question, [...notes, hint]), code: 1 };
  }
  if (!flags.yes) {
    notify(`${redaction.redact(formatTrustQuestion(question))}\n`);
    if (!(await confirm("Trust it?"))) return { type: "failed", message: "nothing was trusted" };
  }
  const saved = await trustShownFiles(projectFiles, { home, redaction });
  if (saved.type === "failed") return saved;
  const trustedQuestion: TrustQuestion = { ...question, reason: "trusted" };
  return flags.yes
    ? createQuestionResult(trustedQuestion)
    : { ...createQuestionResult(trustedQuestion), text: `${projectFiles.root} is trusted, as it is now` };
}

function createQuestionResult(
  question: TrustQuestion,
  notes: readonly string[] = [],
): Extract<SubcommandResult, { type: "shown" }> {
  const text = [formatTrustQuestion(question), ...notes].join("\n\n");
  return { type: "shown", text, data: toQuestionJson(question) };
}
