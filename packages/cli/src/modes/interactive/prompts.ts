/** Asks the user for tool permissions, for trust in a folder, and for consent to automatic compaction. */

import { homedir } from "node:os";
import type { AgentHooks, AskPermission, PermissionAnswer } from "@pith/agent";
import { pithHome } from "@pith/context/node";
import type { Wish } from "../../args/args.ts";
import { type TrustedFolder, trustedFolder } from "../../trust/trust.ts";
import { earlyKeys, type Turns } from "./extension-ui.ts";
import { stop } from "./interrupt.ts";
import type { Notifier } from "./notifications.ts";
import type { CompactionConsent } from "./panels/auto-compact.ts";
import type { Panel } from "./panels/panel.ts";
import type { QuestionAnswer, QuestionParts, QuestionState } from "./panels/permission.ts";
import type { TypingOptions, TypingState } from "./panels/typing.ts";
import { type Stage, survived, type Talking } from "./screen-context.ts";

export interface AskParts {
  /** Null before it is open; then nothing is asked either. */
  readonly talking: () => Talking | null;
  readonly notifier?: Pick<Notifier, "waits"> | undefined;
  /** Whatever extensions ask waits for it. */
  readonly turns?: Turns;
}

/** One question at a time comes here: the permissions see to that. */
export function askOn(stage: Stage, { talking, notifier, turns }: AskParts): AskPermission {
  return async (question, { signal }) => {
    const open = talking();
    if (!open) return { type: "no" };
    const enough = notifier?.waits(question.text);
    let answer = { type: "no" } as PermissionAnswer | null;
    const act = async (): Promise<void> => {
      const { matterOf } = await import("./panels/permission-subject.ts");
      const matter = await matterOf(question, open.ready.place, signal);
      answer = await answerTo({ question, matter, signal, early: earlyKeys(stage, notifier) }, stage);
    };
    // A question that cannot be shown is a no.
    const asked = (): Promise<void> => survived(act, open);
    await (turns ? turns.atOnce(asked) : asked()).finally(enough);
    // Whoever leaves a question without an answer wants no more of it.
    if (answer === null && !signal.aborted) stop(open);
    return answer ?? { type: "no" };
  };
}

interface Asking extends QuestionParts {
  readonly signal: AbortSignal;
  readonly early: TypingOptions;
}

async function answerTo(asking: Asking, stage: Stage): Promise<PermissionAnswer | null> {
  const [{ questionPanel }, { withTyping }] = await Promise.all([
    import("./panels/permission.ts"),
    import("./panels/typing.ts"),
  ]);
  for (let at: QuestionState | null = null; ; ) {
    const panel: Panel<TypingState<QuestionState>, QuestionAnswer> = withTyping(
      questionPanel({ ...asking, ...(at && { at }) }),
      at ? {} : asking.early,
    );
    const answer: QuestionAnswer | null = await stage.ask(panel, { where: "inline", signal: asking.signal });
    if (answer?.type !== "whole") return answer;
    at = answer.at;
    await showWhole(asking, stage);
  }
}

async function showWhole({ question, matter, signal }: Asking, stage: Stage): Promise<void> {
  const [{ textPage }, { matterLines }] = await Promise.all([
    import("./panels/pager.ts"),
    import("./panels/permission-subject.ts"),
  ]);
  const page = textPage({ title: question.text, lines: (sight) => matterLines(matter, sight) });
  await stage.ask(page, { where: "page", signal });
}

export interface TrustPlace {
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
}

/**
 * Does not ask about a folder that brings nothing of its own, nor twice about the same bytes. The wish as it stands afterwards: only this
 * time is said by the wish itself.
 */
export async function trustAsked(wish: Wish, stage: Stage, place: TrustPlace = here()): Promise<Wish> {
  if (wish.trusts) return wish;
  const folder = await trustedFolder({ ...place, userHome: homedir() });
  if (folder.type === "trusted" || folder.holds.files.length === 0) return wish;
  const { wasDeclined } = await import("../../trust/trust-file.ts");
  if (await wasDeclined(folder.holds, place.home)) return wish;
  if (await isTrustedBy(folder, { place, wish })) return { ...wish, trusts: true };
  return (await isCounted(stage, place)) ? { ...wish, trusts: true } : wish;
}

/** Extensions of the user are asked before anybody is. */
async function isTrustedBy(
  trusted: TrustedFolder,
  { place, wish }: { readonly place: TrustPlace; readonly wish: Wish },
): Promise<boolean> {
  const [{ trustedByExtensions }, { whatHolds }] = await Promise.all([
    import("../../extensions/extensions.ts"),
    import("../../settings/resolve.ts"),
  ]);
  const holds = await whatHolds(wish, { ...place, environment: process.env });
  if (holds.type === "mistake") return false;
  return await trustedByExtensions({ ...place, trusted, choices: holds.choices });
}

function here(): TrustPlace {
  return { cwd: process.cwd(), home: pithHome() };
}

/** Whether it counts in this call by the answer alone; what is kept counts by itself. */
async function isCounted(stage: Stage, { cwd, home }: TrustPlace): Promise<boolean> {
  const [{ looked, trustShown }, { redactionHere }, { questionText }, { trustPage }] = await Promise.all([
    import("../../subcommands/trust.ts"),
    import("../../sessions/entries.ts"),
    import("../../trust/question.ts"),
    import("./panels/permission.ts"),
  ]);
  const redaction = await redactionHere({ home, environment: process.env });
  const { trusted, question } = await looked(cwd, home);
  const text = redaction.redact(questionText(question));
  const answer = await stage.ask(trustPage(text), { where: "page" });
  if (answer === "no") await (await import("../../trust/trust-file.ts")).keepDeclined(trusted.holds, home);
  if (answer !== "always") return answer === "once";
  // The very bytes that were shown.
  const kept = await trustShown(trusted.holds, { home, redaction });
  if (kept.type === "failed") stage.tell(kept.message, "bad");
  return false;
}

/** `talking` is null until the session is open. */
export function consentHooks(talking: () => Talking | null): AgentHooks {
  let consenting: CompactionConsent | null = null;
  return {
    session_before_compact: [
      async (event) => {
        const about = talking();
        if (!about?.ready.place.choices.compaction?.ask || event.reason !== "threshold") return undefined;
        const { CompactionConsent } = await import("./panels/auto-compact.ts");
        consenting ??= new CompactionConsent(about);
        return await consenting.answer(event);
      },
    ],
  };
}
