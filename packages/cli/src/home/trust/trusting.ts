/** What `pith trust` does: show what a folder holds, and trust exactly what was shown, or take that back. */

import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, resolve } from "node:path";
import type { Redaction } from "@pith/context";
import { mistake } from "../../asking/mistake.ts";
import { projectTexts } from "../../prompting/project-texts.ts";
import { redactionHere } from "../../subcommands/sessions/finding/redaction-here.ts";
import type { Call, Outcome } from "../../subcommands/subcommand.ts";
import { canAsk, confirmed } from "./telling/confirmed.ts";
import { questionData } from "./telling/question-data.ts";
import { questionText } from "./telling/question-text.ts";
import { trustList } from "./telling/trust-list.ts";
import { type TrustQuestion, trustQuestion } from "./trust-question.ts";
import { trustShown } from "./trust-shown.ts";
import { type TrustedFolder, trustedFolder } from "./trusted-folder.ts";
import { untrust } from "./untrust.ts";

/** A folder may hold keys of its own servers: they are neither shown nor kept a second time. */
export async function trusting(call: Call): Promise<Outcome> {
  const redaction = await redactionHere(call);
  return redaction.redacted(await acted(call, redaction));
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
    note(`${redaction.redacted(questionText(question))}\n`);
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
