/** Runs one prompt of an editor to its end: converts its content blocks, then runs a slash command or asks the model. */

import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResource, PromptResponse, StopReason } from "@agentclientprotocol/sdk/unstable";
import { type AgentEvent, AppendError, type RunEnd, type UserContent } from "@pith/agent";
import type { ImageBlock, TextBlock } from "@pith/context";
import { attachImage, attachText } from "@pith/context/host";
import type { Answer } from "../../commands/command.ts";
import { runCommand } from "../../commands/run-command.ts";
import { MOST_TEXT, pictureIn } from "../../resources/attachments.ts";
import { queuedBecause } from "../../text/compaction-text.ts";
import { type Mistake, mistake } from "../../text/usage-error.ts";
import { type EditorSession, failing, keyless, wrongly } from "./acp-context.ts";
import { noteUpdate, textBlock } from "./tool-updates.ts";

export type SaidBlocks = { readonly type: "said"; readonly words: string; readonly along: readonly Along[] } | Mistake;

type Along = TextBlock | ImageBlock;

export function saidBlocks(blocks: readonly ContentBlock[], cwd: string): SaidBlocks {
  let words = "";
  const along: Along[] = [];
  for (const block of blocks) {
    const part = partOf(block, cwd);
    if (part.type === "mistake") return part;
    words += part.words;
    along.push(...part.along);
  }
  return { type: "said", words, along };
}

/** A text alone needs no block. */
export function contentWith(along: readonly Along[], said: UserContent): UserContent {
  if (along.length === 0) return said;
  if (typeof said !== "string") return [...along, ...said];
  return said.trim() === "" ? along : [...along, { type: "text", text: said }];
}

type Part = { readonly type: "part"; readonly words: string; readonly along: readonly Along[] } | Mistake;

function partOf(block: ContentBlock, cwd: string): Part {
  switch (block.type) {
    case "text":
      return part(block.text);
    case "image": {
      const picture = pictureIn(block.data);
      return picture
        ? part("", { ...picture, pith: { attachment: { kind: "image", name: "" } } })
        : mistake(`a picture must be ${PICTURES}, and not larger than 3.75 MB`);
    }
    case "resource_link":
      return part(mentioned(block.uri, cwd), attachText({ kind: "resource", name: placeOf(block.uri, cwd) }, LINK));
    case "resource":
      return resourcePart(block.resource, cwd);
    case "audio":
      return mistake("Pith does not hear; send words, pictures or files");
  }
}

/** What the editor has of a file may be newer than the file itself. */
function resourcePart(resource: EmbeddedResource["resource"], cwd: string): Part {
  const { uri } = resource;
  const place = placeOf(uri, cwd);
  if ("text" in resource) {
    if (resource.text.length > MOST_TEXT) return tooLong(uri, cwd);
    const kind = place === uri ? "resource" : "file";
    return part(mentioned(uri, cwd), attachText({ kind, name: place }, resource.text));
  }
  const picture = pictureIn(resource.blob);
  if (picture) return part(mentioned(uri, cwd), ...attachImage(place, picture));
  return mistake(`${place} is neither a text nor a picture (${PICTURES}); name it and let it be read instead`);
}

const PICTURES = "png, jpeg, gif or webp";

/** A file can be read in parts; anything else is here and nowhere else. */
function tooLong(uri: string, cwd: string): Part {
  const mention = mentioned(uri, cwd);
  return placeOf(uri, cwd) === uri
    ? mistake(`${uri} has more than 256 KB, too much to be said; send a part of it`)
    : part(mention);
}

/** As one would type it. A name is data: it stays on its line, and one that could be read as a sentence stands in quotes. */
function mentioned(uri: string, cwd: string): string {
  const place = placeOf(uri, cwd).replace(/[\p{Cc}\p{Cf}\u2028\u2029"]/gu, (letter) => encodeURIComponent(letter));
  return /\s/.test(place) ? `@"${place}"` : `@${place}`;
}

const LINK = "(linked in the editor; its content was not sent, so read it if it is needed)";

/** Relative to the folder where it lies there; lines of it stay behind it. */
function placeOf(uri: string, cwd: string): string {
  if (!uri.startsWith("file:")) return uri;
  try {
    const { hash } = new URL(uri);
    const path = fileURLToPath(uri);
    const near = relative(cwd, path);
    return `${near === "" || near.startsWith("..") || isAbsolute(near) ? path : near}${hash}`;
  } catch {
    // No path of this machine: the words stay as they came.
    return uri;
  }
}

function part(words: string, ...along: readonly Along[]): Part {
  return { type: "part", words, along };
}

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
  const text = answerTold(session.ready.built.agent.session.redact(answer));
  if (text !== "") await session.tell({ sessionUpdate: "agent_message_chunk", content: textBlock(text) });
  return { stopReason: session.stops() === stops ? "end_turn" : "cancelled" };
}

/** A session that takes no more words, as on a full disk, is no fault of the program. */
function unkept(error: unknown): Answer {
  if (error instanceof AppendError) return { type: "failed", message: error.message };
  throw error;
}

async function spoken(content: UserContent, { ready, during, sight, tell }: EditorSession): Promise<StopReason> {
  const { agent, missing } = ready.built;
  if (agent.model.api === ABSENT) throw keyless(missing ?? "nobody can speak: set a key");
  if (agent.isRunning)
    throw wrongly("a prompt is under way in this session; wait for its end, or stop it with session/cancel");
  const queued = queuedBecause(agent);
  if (queued) await tell(noteUpdate({ text: queued }, sight.can));
  const end = await during(endOf(agent.prompt(content)));
  switch (end.type) {
    case "done":
      return end.isCut ? "max_tokens" : "end_turn";
    case "aborted":
      return "cancelled";
    case "failed":
      if (end.code === "max-turns" || end.code === "max-cost") {
        await tell(noteUpdate({ text: `${end.why}. Say "go on" to continue.` }, sight.can));
        return "max_turn_requests";
      }
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
