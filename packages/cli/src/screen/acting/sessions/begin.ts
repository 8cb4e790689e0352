/** A session gets the screen: its name, what was said last, what is worth knowing, and then what was asked for. */

import { draftAt, LARGEST_PICTURE } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import { plainText, type Window } from "@pith/context";
import { clipped } from "../../../printing/clipped.ts";
import { contentOf } from "../../../prompting/content.ts";
import { saidWords } from "../../../prompting/said-words.ts";
import { greet } from "../../starting/greet.ts";
import { isFinished } from "../../state/block.ts";
import { factsOf } from "../../state/facts-of.ts";
import { isSaid } from "../../state/glance.ts";
import { past } from "../past.ts";
import { say } from "../say.ts";
import { submit } from "../submit.ts";
import { survived } from "../survived.ts";
import type { Talking } from "../talking.ts";
import type { Told } from "../telling-on.ts";
import { offerToGoOn } from "./go-on.ts";
import { showTitle } from "./title.ts";

/** `open` gives it the screen, and tells what was noted while it was made ready. */
export async function begin(talking: Talking, open: () => readonly Told[]): Promise<void> {
  const { ready, screen } = talking;
  const { session } = ready.built.agent;
  screen.change((state) => ({
    ...state,
    blocks: state.blocks.filter(isFinished),
    work: { type: "idle" },
    queue: { steering: [], followUp: [] },
    facts: factsOf(ready),
  }));
  void survived(async () => (await import("../typing/ready-to-type.ts")).readyToType(talking), talking);
  await showTitle(talking);
  if (session.leaf !== null || screen.state.above !== null) await divide(talking);
  await past(talking);
  for (const { text, tone } of open()) screen.tell(text, tone);
  await greet(ready, screen);
  const draft = draftAt(session.window);
  if (draft !== null && screen.words.text === "") screen.words.set(session.redacted(draft));
  if (ready.wish.words !== "" || ready.wish.files.length > 0) void survived(() => begun(talking), talking);
  else if (draft === null) void survived(() => offerToGoOn(talking), talking);
}

/** What stands above belongs to another session, or to the shell. */
async function divide({ ready, screen }: Talking): Promise<void> {
  const { session } = ready.built.agent;
  const id = session.store.header.id.slice(0, 8);
  const name = (await session.store.name()) ?? firstWords(session.window);
  const text = clipped(plainText(session.redacted(name)) || (session.leaf === null ? "a new session" : id), WIDTH);
  const block = { kind: "note", id: `session:${id}`, tone: "plain", text, divides: true } as const;
  screen.change((state) => ({ ...state, blocks: [...state.blocks, block] }));
}

/** Where they are loaded already. */
function firstWords({ entries, reachesRoot }: Window): string {
  const first = reachesRoot ? entries.find(isSaid) : undefined;
  return first?.type === "message" && first.message.role === "user" ? saidWords(first.message.content) : "";
}

const WIDTH = 60;

/** What stood on the command line: words, and files by their @. */
async function begun(talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { wish } = ready;
  if (wish.words.startsWith("/") && wish.files.length === 0) return await submit(wish.words, talking);
  const files = nodeFiles({ root: ready.place.cwd, mostBytes: LARGEST_PICTURE });
  const said = await contentOf(wish, { files, piped: async () => ({ type: "arrived", text: "" }) });
  if (said.type === "said") return await say(said.content, talking);
  if (said.type === "nothing") return;
  screen.tell(said.message, "bad");
  // Nothing that was typed is lost.
  screen.words.set(wish.words);
}
