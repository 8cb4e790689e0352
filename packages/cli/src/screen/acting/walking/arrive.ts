/** After a move: the last words of where one stands now, from the log, what became of files, and what is to be said anew. */

import { draftAt, type Navigated, type Rewound } from "@pith/agent";
import type { Entry } from "@pith/context";
import type { Answer } from "../../../commands/command.ts";
import { filesTold, moveTold } from "../../../commands/walking/move-told.ts";
import { entrySaid } from "../../../prompting/said-words.ts";
import { past } from "../past.ts";
import type { Talking } from "../talking.ts";

/** `to` is the entry that was gone to: of a message the words are put before the person, and the names of its files. */
export async function arrive(moved: Navigated, to: Entry, talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { session } = ready.built.agent;
  const answer = session.redacted(moveTold(moved, session));
  if (moved.type !== "moved") return screen.tell(session.redacted(sentenceOf(answer, moved)), toneOf(answer));
  const id = moved.summary?.id;
  // What was left is shown where it stands: behind the words before it.
  screen.change((state) => ({ ...state, blocks: state.blocks.filter((block) => block.id !== id) }));
  await past(talking);
  if (moved.files) screen.tell(session.redacted(filesTold(moved.files).join("; ")), fateOf(moved.files));
  const isToSay = (moved.editorText ?? "").trim() !== "";
  putWords(isToSay ? session.redacted(entrySaid(to)) : draftAt(session.window), talking);
}

/** What was typed before is not lost: it is the newest of what was said. */
function putWords(words: string | null, { screen }: Talking): void {
  if (words === null || words.trim() === "") return;
  const typed = screen.words.text.trim();
  if (typed !== "" && typed !== words.trim()) {
    screen.editor?.addToHistory(typed);
    screen.tell("what you had typed is one ↑ away, in an empty editor");
  }
  screen.words.set(words);
}

function sentenceOf(answer: Answer, moved: Navigated): string {
  if (moved.type === "failed" && moved.why === "summary") {
    const why = moved.failures.map(({ note }) => note).join("; ");
    return `What you would leave could not be summarised, so you stand where you stood: ${why}. /tree goes there without a summary, too.`;
  }
  if (moved.type === "files-in-the-way")
    return `You stand where you stood: ${moved.files.map(({ path }) => path).join(", ")} changed in this very moment. /tree once more shows what can be put back.`;
  if (answer.type === "told" || answer.type === "draft") return answer.text;
  return answer.type === "failed" || answer.type === "mistake" ? answer.message : "";
}

/** A file that could not be written is no good news, whatever became of the others. */
function fateOf(files: Rewound): "good" | "bad" {
  return files.type === "refused" || files.files.some(({ type }) => type === "failed") ? "bad" : "good";
}

function toneOf({ type }: Answer): "plain" | "bad" {
  return type === "failed" || type === "mistake" ? "bad" : "plain";
}
