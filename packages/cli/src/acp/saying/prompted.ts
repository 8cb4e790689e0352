/** One prompt of an editor, to its end: a command is answered, everything else is said to the model, which works until it has no more to say. */

import type { ContentBlock, PromptResponse, StopReason } from "@agentclientprotocol/sdk/unstable";
import { type AgentEvent, type Content, NotWritten, type RunEnd } from "@pith/agent";
import type { Answer } from "../../commands/command.ts";
import { runCommand } from "../../commands/run-command.ts";
import { failing, keyless, wrongly } from "../refusals.ts";
import type { EditorSession } from "../sessions/editor-session.ts";
import { textBlock } from "../updates/words.ts";
import { contentWith, saidBlocks } from "./said-blocks.ts";

/** Throws what the editor is answered where nothing can come of it. */
export async function prompted(blocks: readonly ContentBlock[], session: EditorSession): Promise<PromptResponse> {
  const said = saidBlocks(blocks, session.sight.cwd);
  if (said.type === "mistake") throw wrongly(said.message);
  const { words, along } = said;
  if (words.trim() === "" && along.length === 0) throw wrongly("there is nothing to say; send words, or /help");
  // Editors stop one prompt and say the next in one breath.
  await session.stopped();
  const stops = session.stops();
  const answer = words.startsWith("/") ? await runCommand(words.trim(), session.desk).catch(unkept) : null;
  await session.tellChoices();
  if (answer === null) return { stopReason: await spoken(contentWith(along, words), session) };
  if (answer.type === "prompt") return { stopReason: await spoken(contentWith(along, answer.content), session) };
  const text = answerTold(session.ready.built.agent.session.redacted(answer));
  if (text !== "") await session.tell({ sessionUpdate: "agent_message_chunk", content: textBlock(text) });
  return { stopReason: session.stops() === stops ? "end_turn" : "cancelled" };
}

/** A session that takes no more words, as on a full disk, is no fault of the program. */
function unkept(error: unknown): Answer {
  if (error instanceof NotWritten) return { type: "failed", message: error.message };
  throw error;
}

async function spoken(content: Content, { ready, during }: EditorSession): Promise<StopReason> {
  const { agent, missing } = ready.built;
  if (agent.model.api === ABSENT) throw keyless(missing ?? "nobody can speak: set a key");
  if (agent.isRunning)
    throw wrongly("a prompt is under way in this session; wait for its end, or stop it with session/cancel");
  const end = await during(endOf(agent.prompt(content)));
  switch (end.type) {
    case "done":
      return end.isCut ? "max_tokens" : "end_turn";
    case "aborted":
      return "cancelled";
    case "failed":
      throw end.code === "key-refused" ? keyless(end.why) : failing(end.why);
  }
}

/** Of who stands there while nobody can speak. */
const ABSENT = "none";

/** All that happens is told by whoever listens. */
async function endOf(run: AsyncGenerator<AgentEvent, RunEnd>): Promise<RunEnd> {
  for (;;) {
    const { done, value } = await run.next();
    if (done) return value;
  }
}

/** Sessions are opened by the editor: of another one it is told which it is. */
function answerTold(answer: Exclude<Answer, { type: "prompt" }>): string {
  switch (answer.type) {
    case "told":
      return answer.text;
    case "mistake":
    case "failed":
      return answer.message;
    case "opened": {
      const draft = answer.draft === undefined ? "" : `\n\nTo begin it with:\n\n${answer.draft}`;
      return `${answer.text}. It is session ${answer.id}; open it from the editor's list of sessions.${draft}`;
    }
    case "draft":
      return `${answer.text}. Say anew:\n\n${answer.draft}`;
    case "quit":
      return "close this session in the editor; it is kept";
  }
}
