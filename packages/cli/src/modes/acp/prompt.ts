/** Runs one prompt of an editor: converts its content blocks, then runs a slash command or prompts the model. */

import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResource, PromptResponse, StopReason } from "@agentclientprotocol/sdk/unstable";
import type { UserContent } from "@pith/agent";
import type { ImageBlock, TextBlock } from "@pith/context";
import { attachImage, attachText } from "@pith/context/host";
import { isAbsentModel } from "@pith/host/models/open-model";
import { parseImage } from "@pith/host/resources/parse-image";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import { drainRun, toCommandFailure } from "../../app/live-session.ts";
import type { CommandResult } from "../../commands/command.ts";
import { runCommand } from "../../commands/run-command.ts";
import { MAX_TEXT_BYTES } from "../../resources/attachments.ts";
import { getQueuedNotice } from "../../text/compaction-text.ts";
import { type AcpSession, authRequired, endSentence, internalError, invalidParams } from "./acp-context.ts";
import { createNoticeUpdate, textBlock } from "./tool-updates.ts";

/** Throws a protocol error if the prompt cannot be run. */
export async function runPrompt(blocks: readonly ContentBlock[], session: AcpSession): Promise<PromptResponse> {
  const input = parsePromptBlocks(blocks, session.view.cwd);
  if (input.type === "mistake") throw invalidParams(input.message);
  const { text: promptText, attachments } = input;
  if (promptText.trim() === "" && attachments.length === 0)
    throw invalidParams("the prompt is empty; send text, or /help for the commands");
  // Editors cancel one prompt and send the next immediately.
  await session.waitForStop();
  const stopCount = session.stopCount();
  const result = promptText.startsWith("/")
    ? await runCommand(promptText.trim(), session.app).catch(toCommandFailure)
    : null;
  await session.sendChangedOptions();
  if (result === null) return { stopReason: await promptModel(buildContent(attachments, promptText), session) };
  if (result.type === "prompt")
    return { stopReason: await promptModel(buildContent(attachments, result.content), session) };
  const text = formatResult(session.app.agent.session.redact(result));
  if (text !== "") await session.sendUpdate({ sessionUpdate: "agent_message_chunk", content: textBlock(text) });
  return { stopReason: session.stopCount() === stopCount ? "end_turn" : "cancelled" };
}

async function promptModel(content: UserContent, { app, trackRun, view, sendUpdate }: AcpSession): Promise<StopReason> {
  const { agent, missingModel } = app;
  if (isAbsentModel(agent.model))
    throw authRequired(
      `${endSentence(missingModel ?? "no model is configured")} Then send /login or start a new session.`,
    );
  if (agent.isRunning)
    throw invalidParams(
      "a prompt is already running in this session; wait until it ends, or stop it with session/cancel",
    );
  const queuedNote = getQueuedNotice(agent);
  if (queuedNote) await sendUpdate(createNoticeUpdate({ text: queuedNote }, view.features));
  const end = await trackRun(drainRun(agent.prompt(content)));
  switch (end.type) {
    case "done":
      return end.isCut ? "max_tokens" : "end_turn";
    case "aborted":
    case "suspended":
      return "cancelled";
    case "failed":
      if (end.code === "max-turns" || end.code === "max-cost") {
        await sendUpdate(
          createNoticeUpdate({ text: `${endSentence(end.why)} To continue, send "continue".` }, view.features),
        );
        return "max_turn_requests";
      }
      throw end.code === "key-refused" ? authRequired(end.why) : internalError(end.why);
  }
}

/** Names a session that a command created: only the editor can open it. */
function formatResult(result: Exclude<CommandResult, { type: "prompt" }>): string {
  switch (result.type) {
    case "success":
      return result.text;
    case "mistake":
    case "failed":
      return result.message;
    case "opened": {
      const draft = result.draft === undefined ? "" : `\n\nMessage to send there:\n\n${result.draft}`;
      return `${endSentence(result.text)} Open session ${result.id} from the editor's list of sessions.${draft}`;
    }
    case "draft":
      return `${endSentence(result.text)} Edit this message and send it:\n\n${result.draft}`;
    case "quit":
      return "Close this session in the editor. It remains saved.";
  }
}

export type PromptInput =
  | { readonly type: "prompt"; readonly text: string; readonly attachments: readonly AttachmentBlock[] }
  | UsageError;

type AttachmentBlock = TextBlock | ImageBlock;

export function parsePromptBlocks(blocks: readonly ContentBlock[], cwd: string): PromptInput {
  let text = "";
  const attachments: AttachmentBlock[] = [];
  for (const block of blocks) {
    const part = parseBlock(block, cwd);
    if (part.type === "mistake") return part;
    text += part.text;
    attachments.push(...part.attachments);
  }
  return { type: "prompt", text, attachments };
}

/** Puts the attachments before the prompt. Without attachments the prompt stays as it is. */
export function buildContent(attachments: readonly AttachmentBlock[], prompt: UserContent): UserContent {
  if (attachments.length === 0) return prompt;
  if (typeof prompt !== "string") return [...attachments, ...prompt];
  return prompt.trim() === "" ? attachments : [...attachments, { type: "text", text: prompt }];
}

type PromptPart =
  | { readonly type: "part"; readonly text: string; readonly attachments: readonly AttachmentBlock[] }
  | UsageError;

function parseBlock(block: ContentBlock, cwd: string): PromptPart {
  switch (block.type) {
    case "text":
      return createPart(block.text);
    case "image": {
      const image = parseImage(block.data);
      return image
        ? createPart("", { ...image, pith: { attachment: { kind: "image", name: "" } } })
        : usageError(`an image must be ${IMAGE_FORMATS} and at most 3.75 MB`);
    }
    case "resource_link":
      return createPart(
        formatMention(block.uri, cwd),
        attachText({ kind: "resource", name: toDisplayPath(block.uri, cwd) }, LINK_NOTE),
      );
    case "resource":
      return parseResource(block.resource, cwd);
    case "audio":
      return usageError("audio is not supported; send text, images or files");
  }
}

/** Attaches the text of the resource, because the editor's version may be newer than the file. */
function parseResource(resource: EmbeddedResource["resource"], cwd: string): PromptPart {
  const { uri } = resource;
  const path = toDisplayPath(uri, cwd);
  if ("text" in resource) {
    if (resource.text.length > MAX_TEXT_BYTES) return parseOversized(uri, cwd);
    const kind = path === uri ? "resource" : "file";
    return createPart(formatMention(uri, cwd), attachText({ kind, name: path }, resource.text));
  }
  const image = parseImage(resource.blob);
  if (image) return createPart(formatMention(uri, cwd), ...attachImage(path, image));
  return usageError(`${path} is neither text nor an image (${IMAGE_FORMATS}); mention its path instead`);
}

const IMAGE_FORMATS = "png, jpeg, gif or webp";

/** Only mentions a file, because the model can read it in parts. Refuses any other resource, because it cannot be read again. */
function parseOversized(uri: string, cwd: string): PromptPart {
  const mention = formatMention(uri, cwd);
  return toDisplayPath(uri, cwd) === uri
    ? usageError(`${uri} is larger than 256 KB; send only a part of it`)
    : createPart(mention);
}

/** Formats the path like a typed mention, on one line. A path with spaces is quoted, so that it cannot be read as a sentence. */
/** The name of a resource is not typed by the user, so it must not name a session that `recall` may then open. */
function formatMention(uri: string, cwd: string): string {
  const path = toDisplayPath(uri, cwd)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029"]/gu, (char) => encodeURIComponent(char))
    .replaceAll("session:", "session%3A");
  return /\s/.test(path) ? `@"${path}"` : `@${path}`;
}

const LINK_NOTE = "(linked in the editor; its content was not sent, so read it if you need it)";

/** Returns a path relative to the folder if the file is in it. A line range at the end is kept. */
function toDisplayPath(uri: string, cwd: string): string {
  if (!uri.startsWith("file:")) return uri;
  try {
    const { hash } = new URL(uri);
    const path = fileURLToPath(uri);
    const relativePath = relative(cwd, path);
    return `${relativePath === "" || relativePath.startsWith("..") || isAbsolute(relativePath) ? path : relativePath}${hash}`;
  } catch {
    // Not a path of this machine: the URI stays as it is.
    return uri;
  }
}

function createPart(text: string, ...attachments: readonly AttachmentBlock[]): PromptPart {
  return { type: "part", text, attachments };
}
