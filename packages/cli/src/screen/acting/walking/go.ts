/** To another place in the tree, as a person asks for it: what is left, what becomes of changed files, and then the move. */

import type { Destination, Navigated, PlannedFile } from "@pith/agent";
import type { Entry } from "@pith/context";
import { forkedAt } from "../../../commands/sessions/fork.ts";
import { choice } from "../../panels/choice.ts";
import { isRestorable } from "../../panels/walking/questions/file-row.ts";
import { filesPanel } from "../../panels/walking/questions/files-panel.ts";
import { type Leaving, leaveQuestion } from "../../panels/walking/questions/leave-question.ts";
import { oneLinePanel } from "../../panels/walking/questions/one-line.ts";
import { show } from "../show-answer.ts";
import { shownAtRest } from "../stopping/at-rest.ts";
import { stop } from "../stopping/stop.ts";
import type { Talking } from "../talking.ts";
import { arrive } from "./arrive.ts";
import { fileDiff } from "./file-diff.ts";
import { leftBehind } from "./left-behind.ts";

/** `stayed`: whoever asked thought better of it. */
export type Gone = "gone" | "stayed";

export async function go(id: string, talking: Talking): Promise<Gone> {
  const { agent } = talking.ready.built;
  const entry = await agent.session.store.entry(id);
  if (!entry) return told("this entry is not in the session any more", talking);
  if (!(await isFree(talking))) return "stayed";
  const left = await leftBehind(entry, agent.session);
  if (left.isHere) return told("you stand there already", talking);
  const leaving = await askedHow(left.count, talking);
  if (leaving === null) return "stayed";
  if (leaving.how === "fork") return await fork(entry, talking);
  const restoreFiles = await askedFiles(id, talking);
  if (restoreFiles === null) return "stayed";
  const wish = { ...leaving.wish, restoreFiles };
  try {
    await arrive(await moving(id, wish, talking), entry, talking);
  } finally {
    shownAtRest(talking);
  }
  return "gone";
}

/** A new session; one stands in it from now on, and what was under way in this one has ended. */
export async function fork(entry: Entry, talking: Talking): Promise<Gone> {
  if (!(await isFree(talking))) return "stayed";
  await show(await forkedAt(entry, talking.desk), talking);
  return "gone";
}

function told(text: string, { screen }: Talking): Gone {
  screen.tell(text);
  return "gone";
}

/** B80: what is under way is stopped first, if that is wanted. */
async function isFree(talking: Talking): Promise<boolean> {
  const { ready, screen } = talking;
  const { agent } = ready.built;
  if (!agent.isRunning && agent.session.occupied.length === 0) return true;
  const stops = await screen.ask(
    choice({
      title: "Something is under way here; one can only go elsewhere when it has ended.",
      options: [
        { key: "n", label: "Let it go on", says: "you stay here", value: false },
        { key: "y", label: "Stop it, and go", says: "what was done so far stays", value: true },
      ],
    }),
    { where: "inline" },
  );
  if (!stops) return false;
  stop(talking);
  await agent.abort();
  return true;
}

interface Left {
  readonly how: Leaving;
  readonly wish: Pick<Destination, "summarize" | "customInstructions">;
}

/** Null where one stays. */
async function askedHow(count: number, { desk, ready, screen }: Talking): Promise<Left | null> {
  if (count === 0 || desk.choices.branchSummary?.skipPrompt) return { how: "just-go", wish: {} };
  const canTell = ready.built.missing === null;
  const question = leaveQuestion({ count, canFork: desk.sessionPath !== null, canTell });
  for (;;) {
    const how = await screen.ask(question, { where: "inline" });
    if (how === null || how === "just-go" || how === "fork") return how && { how, wish: {} };
    if (how === "tell") return { how, wish: { summarize: true } };
    const focus = await screen.ask(oneLinePanel(FOCUS), { where: "inline" });
    if (focus === null) continue;
    return { how, wish: { summarize: true, ...(focus !== "" && { customInstructions: focus }) } };
  }
}

const FOCUS = {
  title: "What should the summary look at?",
  hints: ["Enter goes there with a summary of this branch", "Esc goes back"],
};

/** Which files are put back, by their paths; null where one stays. */
async function askedFiles(id: string, { ready, screen }: Talking): Promise<readonly string[] | null> {
  const { agent, rewind } = ready.built;
  const files: readonly PlannedFile[] = (await agent.previewFiles(id)).filter(({ type }) => type !== "same");
  if (!rewind || files.length === 0) return [];
  const folder = ready.place.cwd;
  const diff = async (file: PlannedFile) => agent.session.redacted(await fileDiff(file, rewind, folder));
  const answer = await screen.ask(filesPanel({ files, folder, diff }), { where: "page" });
  if (answer === null) return null;
  return answer === "leave" ? [] : files.filter(isRestorable).map(({ path }) => path);
}

async function moving(id: string, wish: Destination, { ready, screen }: Talking): Promise<Navigated> {
  const { agent } = ready.built;
  if (wish.summarize) {
    const work = { type: "summarising", since: Date.now(), step: "" } as const;
    screen.change((state) => ({ ...state, work }));
  }
  return await agent.navigateTree(id, wish);
}
