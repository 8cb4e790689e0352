/** Shows a session that gets the screen, then sends the prompt of the command line or offers to continue unfinished work. */

import { findDraft, findPendingWork, MAX_IMAGE_SOURCE_BYTES, type PendingWork, wasStoppedByUser } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { LoadedBranch } from "@pith/context";
import { displayText, sanitizeLine } from "@pith/context/host";
import { truncate } from "@pith/host/text/safe-text";
import { drainRun } from "../../app/live-session.ts";
import { buildPromptContent } from "../../resources/attachments.ts";
import { isUserMessage } from "../../sessions/tree-lines.ts";
import { greetFirstSession } from "./onboarding/messages.ts";
import { createChoicePanel } from "./panels/choice.ts";
import { showRecentHistory } from "./recent-history.ts";
import { type InteractiveContext, reportErrors, type SessionScreen } from "./screen-context.ts";
import { sendMessage } from "./send.ts";
import { showTitle } from "./session-output.ts";
import { showStartScreen } from "./start-screen.ts";
import { isFinished } from "./state/blocks.ts";
import { buildFooterData } from "./state/footer.ts";
import { submit } from "./submit.ts";

/** `openOutput` shows the notes that were held back while the session opened, and all later output. */
export async function showSession(context: InteractiveContext, openOutput: () => void): Promise<void> {
  const { app, screen } = context;
  const { session } = app.agent;
  screen.update((state) => ({
    ...state,
    blocks: state.blocks.filter(isFinished),
    activity: { type: "idle" },
    queue: { steering: [], followUp: [] },
    footer: buildFooterData(app),
  }));
  void reportErrors(async () => (await import("./editor/setup.ts")).setUpEditor(context), context);
  await showTitle(context);
  if (session.leaf !== null || screen.state.lastPrintedKind !== null) await showDivider(context);
  else await showStartScreen(context);
  await showRecentHistory(context);
  openOutput();
  const damage = app.takeDamageEvent();
  if (damage) screen.handleEvent(damage);
  await greetFirstSession(context);
  const draft = findDraft(session.branch);
  if (draft !== null && screen.editorText.text === "") screen.editorText.set(session.redact(draft));
  if (app.args.prompt !== "" || app.args.files.length > 0) void reportErrors(() => sendInitialPrompt(context), context);
  else if (draft === null) void reportErrors(() => offerToResume(context), context);
}

async function offerToResume({ app, screen }: SessionScreen<"agent" | "missingModel">): Promise<void> {
  const { agent, missingModel } = app;
  const unfinished = describePendingWork(findPendingWork(agent.session.branch.entries), agent.queue.length);
  if (unfinished === null || missingModel !== null) return;
  // Who stopped the turn knows why it is unfinished.
  if (agent.queue.length === 0 && wasStoppedByUser(agent.session.branch.entries)) return;
  // If the user is typing, the next letter would answer the panel.
  if (screen.editorText.text !== "")
    return screen.showNote(`This session was interrupted: ${unfinished}. Your next message will be sent first.`);
  const shouldResume = await screen.showPanel(
    createChoicePanel({
      title: `This session was interrupted: ${unfinished}.`,
      options: [
        // ASK3: the calls that did not finish may come from a session file of somebody else.
        { key: "y", label: "Continue", description: "from where it stopped", value: true, isLasting: true },
        { key: "n", label: "Not now", description: "wait for your next message", value: false },
      ],
    }),
    { where: "inline", question: "unprompted" },
  );
  if (shouldResume) await drainRun(agent.resume());
}

/** Describes unfinished work for the user. Null if there is none. */
export function describePendingWork(pending: PendingWork | null, queuedCount: number): string | null {
  if (pending?.type === "results") {
    const names = [...new Set(pending.calls.map(({ call }) => call.name))].join(", ");
    return `${names} did not finish`;
  }
  if (pending?.type === "reply") return "the last message has no answer yet";
  return queuedCount > 0 ? `${queuedCount === 1 ? "a queued message was" : "queued messages were"} not sent` : null;
}

/** Separates the session from the lines above it, which belong to another session or to the shell. */
async function showDivider({ app, screen }: SessionScreen): Promise<void> {
  const { session } = app.agent;
  const id = session.store.header.id.slice(0, 8);
  const name = (await session.store.name()) ?? getFirstMessageText(session.branch);
  const text = truncate(
    sanitizeLine(session.redact(name)) || (session.leaf === null ? "new session" : id),
    MAX_TITLE_WIDTH,
  );
  const block = { kind: "note", id: `session:${id}`, tone: "plain", text, isDivider: true } as const;
  screen.update((state) => ({ ...state, blocks: [...state.blocks, block] }));
}

/** Returns an empty text if the first message is not loaded. */
function getFirstMessageText({ entries, reachesRoot }: LoadedBranch): string {
  const firstMessage = reachesRoot ? entries.find(isUserMessage) : undefined;
  return firstMessage?.type === "message" && firstMessage.message.role === "user"
    ? displayText(firstMessage.message.content)
    : "";
}

const MAX_TITLE_WIDTH = 60;

/** Sends the prompt and the `@` files of the command line. */
async function sendInitialPrompt(context: InteractiveContext): Promise<void> {
  const { app, screen } = context;
  const { args } = app;
  if (args.prompt.startsWith("/") && args.files.length === 0) return await submit(args.prompt, context);
  const files = nodeFiles({ root: app.cwd, maxBytes: MAX_IMAGE_SOURCE_BYTES });
  const result = await buildPromptContent(args, { files, readStdin: async () => ({ type: "text", text: "" }) });
  if (result.type === "content") return await sendMessage(result.content, context);
  if (result.type === "nothing") return;
  screen.showNote(result.message, "bad");
  // The user can correct the prompt and send it again.
  screen.editorText.set(args.prompt);
}
