/** Creates the entries that a command appends, given what is on the branch. */

import type { Entry } from "../../src/entry.ts";
import type { AssistantMessage } from "../../src/message.ts";
import type { NewEntry } from "../../src/session/session.ts";
import { emptyUsage } from "../../src/testing/story.ts";
import type { Command } from "./commands.ts";

export interface Place {
  readonly branch: readonly Entry[];
  readonly all: readonly Entry[];
  readonly step: number;
  readonly time: number;
}

export const models = [
  { api: "anthropic-messages", provider: "anthropic", model: "one" },
  { api: "openai-responses", provider: "openai", model: "two" },
  { api: "openai-completions", provider: "local", model: "three" },
  { api: "google-generative-ai", provider: "google", model: "four" },
] as const;

/** Nothing for a command that makes no sense here, or is not an append. */
export function drafts(command: Command, place: Place): readonly NewEntry[] {
  const { step, time: timestamp } = place;
  switch (command.do) {
    case "user":
      return [
        { type: "message", message: { role: "user", content: [{ type: "text", text: command.text }], timestamp } },
      ];
    case "say":
      return [assistant(command, [{ type: "text", text: command.text }], place)];
    case "call":
      return [assistant(command, calls(command, step), place)];
    case "result":
      return result(command, place);
    case "fail": {
      const halfReply = assistant({ model: 0, hasThinking: false }, [{ type: "text", text: "half" }], place);
      const stopReason = command.aborted ? "aborted" : "error";
      return [
        { ...halfReply, message: { ...(halfReply as { message: AssistantMessage }).message, stopReason } } as NewEntry,
      ];
    }
    case "bash": {
      const ran = { command: "ls", output: command.text, exitCode: 0, cancelled: false, truncated: false };
      return [
        { type: "message", message: { role: "bashExecution", ...ran, excludeFromContext: command.hidden, timestamp } },
      ];
    }
    case "note":
      return [{ type: "custom_message", customType: "note", content: command.text, display: true }];
    case "system":
      return [{ type: "message", message: { role: "system", content: command.text, timestamp } }];
    case "label": {
      const target = pick(place.all, command.which);
      return target
        ? [{ type: "label", targetId: target.id, ...(command.clear ? {} : { label: `name ${step}` }) }]
        : [];
    }
    case "set-model":
      return [{ type: "model_change", provider: "p", modelId: `m${step}` }];
    case "set-thinking":
      return [{ type: "thinking_level_change", thinkingLevel: "high" }];
    case "unknown":
      return [
        { type: "unknown", kind: "future", value: { type: "future", text: command.text, deep: { list: [1, null] } } },
      ];
    case "compact":
      return compaction(command, place);
    case "edit":
      return edit(command.which, command.drop, place);
    case "move":
    case "leave":
    case "fork":
    case "reopen":
    case "crash":
    case "clock":
    case "fault":
    case "rival":
      return [];
  }
}

function assistant(
  { model, hasThinking }: { model: number; hasThinking: boolean },
  blocks: AssistantMessage["content"],
  { step, time }: Place,
): NewEntry {
  const name = models[model % models.length] ?? models[0];
  const thinking = { type: "thinking" as const, thinking: `thought ${step}`, thinkingSignature: `signature ${step}` };
  const content = hasThinking ? [thinking, ...blocks] : blocks;
  const stopReason = blocks.some((block) => block.type === "toolCall") ? "toolUse" : "stop";
  return {
    type: "message",
    message: { role: "assistant", content, ...name, usage: emptyUsage, stopReason, timestamp: time },
  };
}

function calls({ count, sameId }: { count: number; sameId: boolean }, step: number): AssistantMessage["content"] {
  const id = (at: number): string => (sameId ? `call_${at}` : `call_${step}_${at}`);
  return Array.from({ length: count }, (_, at) => ({
    type: "toolCall",
    id: id(at),
    name: "read",
    arguments: { path: `f${at}` },
  }));
}

// Any call of the branch, answered or not, in the context or long covered: results come when they come.
function result({ which, text }: { which: number; text: string }, { branch, time }: Place): readonly NewEntry[] {
  const made = branch.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "assistant"
      ? entry.message.content.filter((block) => block.type === "toolCall")
      : [],
  );
  const call = which % 3 === 0 ? pick(made, which) : made.at(-1 - (which % 3));
  if (!call) return [];
  const content = [{ type: "text" as const, text }];
  return [
    {
      type: "message",
      message: {
        role: "toolResult",
        toolCallId: call.id,
        toolName: call.name,
        content,
        isError: false,
        timestamp: time,
      },
    },
  ];
}

function compaction(
  { which, edits, keepNothing }: { which: number; edits: number; keepNothing: boolean },
  place: Place,
): readonly NewEntry[] {
  const id = `compaction-${place.step}`;
  const kept = place.branch.filter((entry) => !(entry.type === "message" && entry.message.role === "toolResult"));
  const first = keepNothing ? undefined : pick(kept, which);
  const entry: NewEntry = {
    type: "compaction",
    id,
    summary: `summary ${place.step}`,
    firstKeptEntryId: first?.id ?? id,
    tokensBefore: 100,
  };
  return [entry, ...Array.from({ length: edits }, (_, at) => edit(which + at, at === 0, place)).flat()];
}

function edit(which: number, drop: boolean, { branch, step }: Place): readonly NewEntry[] {
  const targets = branch.filter(
    (entry) =>
      entry.type === "custom_message" ||
      (entry.type === "message" && ["user", "assistant", "toolResult"].includes(entry.message.role)),
  );
  const target = pick(targets, which);
  if (!target) return [];
  const content = [{ type: "text" as const, text: `edited ${step}` }];
  return [{ type: "context_edit", targetId: target.id, replacement: drop ? null : { content } }];
}

export function pick<Each>(from: readonly Each[], which: number): Each | undefined {
  return from.length === 0 ? undefined : from[which % from.length];
}
