/** Asks the user for tool permissions, for trust in a folder, and for consent to automatic compaction. */

import { homedir } from "node:os";
import type { AgentHooks, AskPermission, PermissionAnswer } from "@pith/agent";
import { pithHome } from "@pith/context/node";
import { askExtensionsForTrust } from "@pith/host/extensions/extensions";
import type { HostContext } from "@pith/host/host-context";
import type { FolderTrust } from "@pith/host/trust/folder-trust";
import type { CliArgs } from "../../args/args.ts";
import { listCommandNames } from "../../commands/names.ts";
import { checkTrust } from "../../trust/trust.ts";
import type { PromptQueue } from "./extension-ui.ts";
import { stop } from "./interrupt.ts";
import type { Notifier } from "./notifications.ts";
import type { CompactionConsent } from "./panels/auto-compact.ts";
import type { QuestionAnswer, QuestionOptions, QuestionState } from "./panels/permission.ts";
import { type InteractiveContext, reportErrors, type ScreenApi } from "./screen-context.ts";
import type { Activity } from "./state/screen-state.ts";

export interface PermissionPromptOptions {
  /** Returns null until the session is open. Requests are refused until then. */
  readonly getContext: () => InteractiveContext | null;
  readonly notifier?: Pick<Notifier, "notifyWhenAway"> | undefined;
  /** Makes questions of extensions wait for the permission question. */
  readonly queue?: PromptQueue;
}

/** `Permissions` asks one question at a time, so this function does not queue them. */
export function createPermissionPrompt(
  screen: ScreenApi,
  { getContext, notifier, queue }: PermissionPromptOptions,
): AskPermission {
  return async (question, { signal }) => {
    const context = getContext();
    if (!context) return { type: "no" };
    const stopNotifying = notifier?.notifyWhenAway(question.text);
    setRunPhase(screen, "waiting for your answer");
    let answer = { type: "no" } as PermissionAnswer | null;
    const showQuestion = async (): Promise<void> => {
      const { loadSubject } = await import("./panels/permission-subject.ts");
      const subject = await loadSubject(question, context.app, signal);
      answer = await askQuestion({ question, subject, signal }, screen);
    };
    // A question that cannot be shown is answered with no.
    const ask = (): Promise<void> => reportErrors(showQuestion, context);
    await (queue ? queue.runNow(ask) : ask()).finally(stopNotifying);
    setRunPhase(screen, "working");
    // Closing a question without an answer also stops the run.
    if (answer === null && !signal.aborted) stop(context);
    return answer ?? { type: "no" };
  };
}

function setRunPhase(screen: ScreenApi, phase: Extract<Activity, { type: "running" }>["phase"]): void {
  screen.update((state) =>
    state.activity.type === "running" ? { ...state, activity: { ...state.activity, phase } } : state,
  );
}

interface PermissionPrompt extends QuestionOptions {
  readonly signal: AbortSignal;
}

async function askQuestion(prompt: PermissionPrompt, screen: ScreenApi): Promise<PermissionAnswer | null> {
  const { createPermissionPanel } = await import("./panels/permission.ts");
  for (let initialState = null as QuestionState | null; ; ) {
    const answer: QuestionAnswer | null = await screen.showPanel(
      createPermissionPanel({ ...prompt, ...(initialState && { initialState }) }),
      { where: "inline", signal: prompt.signal, question: initialState ? "seen" : "unprompted" },
    );
    if (answer?.type !== "show-all") return answer;
    initialState = answer.state;
    await showFullSubject(prompt, screen);
  }
}

async function showFullSubject({ question, subject, signal }: PermissionPrompt, screen: ScreenApi): Promise<void> {
  const [{ createTextPage }, { formatQuestionTitle }, { renderSubject }] = await Promise.all([
    import("./panels/pager.ts"),
    import("./panels/permission.ts"),
    import("./panels/permission-subject.ts"),
  ]);
  const title = formatQuestionTitle({ question, subject });
  const page = createTextPage({ title, lines: (viewport) => renderSubject(subject, viewport) });
  await screen.showPanel(page, { where: "page", signal });
}

export type TrustPaths = Pick<HostContext, "cwd" | "home">;

/**
 * Asks the user to trust the project's files. Does not ask if the folder has none, nor again about the same file contents. Returns the
 * arguments with `trustsProject` set if the trust applies to this run only.
 */
export async function askForTrust(
  args: CliArgs,
  screen: ScreenApi,
  paths: TrustPaths = { cwd: process.cwd(), home: pithHome() },
): Promise<CliArgs> {
  if (args.trustsProject) return args;
  const folder = await checkTrust({ ...paths, userHome: homedir() });
  if (folder.type === "trusted" || folder.project.files.length === 0) return args;
  const { wasDeclined } = await import("../../trust/trust-file.ts");
  if (await wasDeclined(folder.project, paths.home)) return args;
  if (await isTrustedByExtension(folder, { paths, args })) return { ...args, trustsProject: true };
  // A line from a pipe was written before anybody could read the question.
  if (!screen.hasPages && !process.stdin.isTTY) return args;
  return (await confirmTrust(screen, paths)) ? { ...args, trustsProject: true } : args;
}

/** Extensions of the user decide before the user is asked. */
async function isTrustedByExtension(
  folder: FolderTrust,
  { paths, args }: { readonly paths: TrustPaths; readonly args: CliArgs },
): Promise<boolean> {
  const { resolveSettings } = await import("../../settings/resolve.ts");
  const effective = await resolveSettings(args, { ...paths, environment: process.env });
  if (effective.type === "mistake") return false;
  return await askExtensionsForTrust({
    ...paths,
    trustedFolder: folder,
    settings: effective.settings,
    commandNames: listCommandNames,
  });
}

/** Returns true if the user trusts the folder for this run only. Saved trust is found without it. */
async function confirmTrust(screen: ScreenApi, { cwd, home }: TrustPaths): Promise<boolean> {
  const [{ inspectFolder, trustShownFiles }, { createRedaction }, { formatTrustQuestion }, { createTrustPage }] =
    await Promise.all([
      import("../../subcommands/trust.ts"),
      import("../../sessions/entries.ts"),
      import("../../trust/question.ts"),
      import("./panels/permission.ts"),
    ]);
  const redaction = await createRedaction({ home, environment: process.env });
  const { folderTrust: trusted, question } = await inspectFolder(cwd, home);
  const text = redaction.redact(formatTrustQuestion(question));
  const answer = await screen.showPanel(createTrustPage(text), { where: "page", question: "unprompted" });
  if (answer === "no") await (await import("../../trust/trust-file.ts")).saveDeclined(trusted.project, home);
  if (answer !== "always") return answer === "once";
  // Trusts exactly the bytes that were shown.
  const result = await trustShownFiles(trusted.project, { home, redaction });
  if (result.type === "failed") screen.showNote(result.message, "bad");
  return false;
}

/** `getContext` returns null until the session is open. */
export function createConsentHooks(getContext: () => InteractiveContext | null): AgentHooks {
  let consent: CompactionConsent | null = null;
  return {
    session_before_compact: [
      async (event) => {
        const context = getContext();
        if (!context?.app.settings.compaction?.ask || event.reason !== "threshold") return undefined;
        const { CompactionConsent } = await import("./panels/auto-compact.ts");
        consent ??= new CompactionConsent(context);
        return await consent.handleBeforeCompact(event);
      },
    ],
  };
}
