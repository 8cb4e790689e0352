/** Shows a session when it gets the screen, then sends the prompt of the command line or offers to continue unfinished work. */

import { findDraft, findPendingWork, MAX_IMAGE_BYTES, type PendingWork } from "@pith/agent";
import { nodeFiles } from "@pith/agent/node";
import type { LoadedBranch } from "@pith/context";
import { displayText, sanitizeLine } from "@pith/context/host";
import { contentOf } from "../../resources/attachments.ts";
import { clipped } from "../../text/safe-text.ts";
import { greet } from "./onboarding/messages.ts";
import { choice } from "./panels/choice.ts";
import { isSaid, past } from "./recent-history.ts";
import { survived, type Talking } from "./screen-context.ts";
import { say } from "./send.ts";
import { showTitle, type Told } from "./session-output.ts";
import { isFinished } from "./state/blocks.ts";
import { factsOf } from "./state/footer.ts";
import { submit } from "./submit.ts";

export async function offerToGoOn(talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { agent, missing } = ready.built;
  const left = leftOpen(findPendingWork(agent.session.branch.entries), agent.queue.length);
  if (left === null || missing !== null) return;
  // Who types already would answer with their next letter.
  if (screen.words.text !== "") return screen.tell(`This session broke off: ${left}. What you say next comes first.`);
  const goesOn = await screen.ask(
    choice({
      title: `This session broke off: ${left}.`,
      options: [
        { key: "y", label: "Go on", says: "from where it was", value: true },
        { key: "n", label: "Leave it", says: "what you say next comes first", value: false },
      ],
    }),
    { where: "inline" },
  );
  if (goesOn) await resumed(talking);
}

/** All that happens is told by whoever listens. */
async function resumed({ ready }: Talking): Promise<void> {
  for await (const _ of ready.built.agent.resume());
}

/** For people; null where nothing is left open. */
export function leftOpen(next: PendingWork | null, waiting: number): string | null {
  if (next?.type === "results") {
    const names = [...new Set(next.calls.map(({ call }) => call.name))].join(", ");
    return `${names} had not ended`;
  }
  if (next?.type === "reply") return "the last words have no answer yet";
  return waiting > 0 ? "something was said that nobody has heard yet" : null;
}

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
  void survived(async () => (await import("./editor/setup.ts")).readyToType(talking), talking);
  await showTitle(talking);
  if (session.leaf !== null || screen.state.above !== null) await divide(talking);
  await past(talking);
  for (const { text, tone } of open()) screen.tell(text, tone);
  const damaged = ready.takeDamage();
  if (damaged) screen.hear(damaged);
  await greet(ready, screen);
  const draft = findDraft(session.branch);
  if (draft !== null && screen.words.text === "") screen.words.set(session.redact(draft));
  if (ready.wish.words !== "" || ready.wish.files.length > 0) void survived(() => begun(talking), talking);
  else if (draft === null) void survived(() => offerToGoOn(talking), talking);
}

/** What stands above belongs to another session, or to the shell. */
async function divide({ ready, screen }: Talking): Promise<void> {
  const { session } = ready.built.agent;
  const id = session.store.header.id.slice(0, 8);
  const name = (await session.store.name()) ?? firstWords(session.branch);
  const text = clipped(sanitizeLine(session.redact(name)) || (session.leaf === null ? "a new session" : id), WIDTH);
  const block = { kind: "note", id: `session:${id}`, tone: "plain", text, divides: true } as const;
  screen.change((state) => ({ ...state, blocks: [...state.blocks, block] }));
}

/** Where they are loaded already. */
function firstWords({ entries, reachesRoot }: LoadedBranch): string {
  const first = reachesRoot ? entries.find(isSaid) : undefined;
  return first?.type === "message" && first.message.role === "user" ? displayText(first.message.content) : "";
}

const WIDTH = 60;

/** What stood on the command line: words, and files by their @. */
async function begun(talking: Talking): Promise<void> {
  const { ready, screen } = talking;
  const { wish } = ready;
  if (wish.words.startsWith("/") && wish.files.length === 0) return await submit(wish.words, talking);
  const files = nodeFiles({ root: ready.place.cwd, maxBytes: MAX_IMAGE_BYTES });
  const said = await contentOf(wish, { files, piped: async () => ({ type: "arrived", text: "" }) });
  if (said.type === "said") return await say(said.content, talking);
  if (said.type === "nothing") return;
  screen.tell(said.message, "bad");
  // Nothing that was typed is lost.
  screen.words.set(wish.words);
}
