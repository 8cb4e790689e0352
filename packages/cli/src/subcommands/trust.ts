/** Implements `pith trust`: shows what a folder holds, trusts exactly what was shown, revokes that, or lists what is trusted. */

import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Redaction } from "@pith/context";
import type { Call, Outcome } from "../args/subcommand.ts";
import { projectTexts } from "../resources/context-files.ts";
import { redactionHere } from "../sessions/entries.ts";
import { canAsk, confirmed } from "../text/confirm.ts";
import { counted } from "../text/format.ts";
import { oneLine } from "../text/safe-text.ts";
import { mistake } from "../text/usage-error.ts";
import { projectFolders } from "../trust/project-folders.ts";
import { questionData, questionText, type TrustQuestion, trustQuestion } from "../trust/question.ts";
import type { Holdings } from "../trust/read-files.ts";
import { type TrustedFolder, trustedFolder } from "../trust/trust.ts";
import { keepTrust, readTrust, type TrustKept, trustRecord } from "../trust/trust-file.ts";

export async function trustList(home: string): Promise<Outcome> {
  const { projects, notes } = await readTrust(home);
  const [note] = notes;
  if (note !== undefined) return { type: "failed", message: note };
  const data = [...projects]
    .map(([root, { trusted, files }]) => ({ root, trusted, files: Object.keys(files).length }))
    .sort((one, other) => (one.root < other.root ? -1 : 1));
  const lines = data.map(
    ({ root, trusted, files }) => `${trusted.slice(0, 10)}  ${oneLine(root)}  (${counted(files, "file")})`,
  );
  return { type: "shown", text: lines.length > 0 ? lines.join("\n") : "no folder is trusted", data };
}

export interface Keeping {
  /** Pith's home. */
  readonly home: string;
  /** What it would change is kept by its hash alone. */
  readonly redaction: Redaction;
}

/** Trusts exactly the bytes that were shown, even if the files have changed since. */
export async function trustShown(holds: Holdings, { home, redaction }: Keeping): Promise<TrustKept> {
  const trusted = new Date().toISOString();
  return await keepTrust(holds.root, { home, record: (before) => trustRecord(holds, { trusted, before, redaction }) });
}

/** Also for a folder that no longer exists. */
export async function untrust(folder: string, home: string): Promise<Outcome> {
  const root = await rootOf(folder);
  const { projects, notes } = await readTrust(home);
  const [note] = notes;
  if (note !== undefined) return { type: "failed", message: note };
  const isTrusted = projects.has(root);
  const kept = isTrusted ? await keepTrust(root, { home, record: () => null }) : { type: "kept" as const };
  if (kept.type === "failed") return kept;
  const text = isTrusted ? `${root} is no longer trusted` : `${root} was not trusted`;
  return { type: "shown", text, data: { root, isTrusted: false, wasTrusted: isTrusted } };
}

async function rootOf(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => null);
  if (real === null) return folder;
  const [root = real] = await projectFolders(real, homedir());
  return root;
}

/** A folder may hold keys of its own servers: they are neither shown nor kept a second time. */
export async function trusting(call: Call): Promise<Outcome> {
  const redaction = await redactionHere(call);
  return redaction.redact(await acted(call, redaction));
}

async function acted(call: Call, redaction: Redaction): Promise<Outcome> {
  const { arguments: given, cwd, home, flags } = call;
  const acts = ["show", "revoke", "list", "yes"].filter((flag) => flags[flag]);
  if (acts.length > 1) return mistake(`--${acts.join(" and --")} exclude each other; write one of them`);
  if (flags.list) return await trustList(home);
  const folder = resolve(cwd, given[0] ?? ".");
  if (flags.revoke) return await untrust(folder, home);
  const isFolder = await stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
  if (!isFolder) return mistake(`there is no folder ${folder}`);
  const { trusted, question } = await looked(folder, home);
  const isOpen = trusted.type === "untrusted" && question.kinds.length > 0;
  return isOpen && !flags.show
    ? await decided({ trusted, question }, { call, redaction })
    : shown(question, trusted.notes);
}

interface Looked {
  readonly trusted: TrustedFolder;
  readonly question: TrustQuestion;
}

export async function looked(cwd: string, home: string): Promise<Looked> {
  const places = { cwd, home, userHome: homedir() };
  const trusted = await trustedFolder(places);
  const { folders, root } = trusted.holds;
  // The user's own is no part of the project.
  const { texts } = await projectTexts({ ...places, cwd: folders.at(-1) ?? root, mayRead: async () => true });
  const own = texts.filter(({ path }) => folders.includes(dirname(path)));
  return { trusted, question: trustQuestion(trusted, own) };
}

interface Deciding {
  readonly call: Call;
  readonly redaction: Redaction;
}

async function decided({ trusted, question }: Looked, { call, redaction }: Deciding): Promise<Outcome> {
  const { holds, notes } = trusted;
  const { home, flags, note } = call;
  if (!flags.yes && !canAsk()) {
    const how = "nothing was trusted; say it again with --yes to trust this";
    // Whoever goes on only where it was trusted must not go on.
    return { ...shown(question, [...notes, how]), code: 1 };
  }
  if (!flags.yes) {
    note(`${redaction.redact(questionText(question))}\n`);
    if (!(await confirmed("Trust it?"))) return { type: "failed", message: "nothing was trusted" };
  }
  const kept = await trustShown(holds, { home, redaction });
  if (kept.type === "failed") return kept;
  const now: TrustQuestion = { ...question, why: "trusted" };
  return flags.yes ? shown(now) : { ...shown(now), text: `${holds.root} is trusted, as it is now` };
}

function shown(question: TrustQuestion, notes: readonly string[] = []): Extract<Outcome, { type: "shown" }> {
  const text = [questionText(question), ...notes].join("\n\n");
  return { type: "shown", text, data: questionData(question) };
}
