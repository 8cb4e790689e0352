/** Documents every event an extension can listen to. The compiler checks that none is missing. */

import type { ExtensionEventName, ResultOf } from "./events.ts";

export interface EventRow<Name extends ExtensionEventName> {
  /** When it comes, and what one may answer. */
  readonly description: string;
  /** Whether it is waited for; else it is only told, and what is answered does not count. */
  readonly isAwaited: boolean;
  /** What an answer looks like; absent where none is read. */
  readonly example?: ResultOf<Name>;
}

export type EventTable = { readonly [Name in ExtensionEventName]: EventRow<Name> };

/** One row per event, in the order in which a session meets them. */
export const extensionEventTable: EventTable = {
  project_trust: {
    description:
      "A folder holds what counts only where it is trusted. Answer whether it is, for this call alone. Extensions of the user alone are asked.",
    isAwaited: true,
    example: { trusted: true },
  },
  resources_discover: {
    description: "Skills and templates are looked for. Answer with more folders, by absolute paths.",
    isAwaited: true,
    example: { skillPaths: ["/home/ada/skills"] },
  },
  session_start: { description: "There is a session. From here on acts reach it.", isAwaited: true },
  session_before_switch: {
    description: "Another session is about to take this one's place. Answer to prevent it.",
    isAwaited: true,
    example: { cancel: true },
  },
  session_before_fork: {
    description: "A session is about to be made of a part of this one. Answer to prevent it.",
    isAwaited: true,
    example: { cancel: true },
  },
  session_before_compact: {
    description:
      "A compaction is about to begin. Answer to prevent it, to put it off once, to say what matters, or with a summary of your own, which is checked like any other. `event.setResult(compaction)` and `event.cancel()` answer too.",
    isAwaited: true,
    example: { customInstructions: "Keep every decision about the database." },
  },
  session_compact: {
    description: "A compaction was made. Answer with entries that are to stand behind it.",
    isAwaited: true,
    example: {
      entries: [{ type: "custom_message", customType: "mine", content: "The plan is in PLAN.md.", display: true }],
    },
  },
  session_compact_failed: {
    description: "A compaction was cancelled or failed; nothing was changed.",
    isAwaited: true,
  },
  session_before_tree: {
    description:
      "The session is about to go elsewhere in its tree. Answer to prevent it, with a summary of what is left, whether there is one (`summarize`), with instructions for it, or with a label. `event.setSummarize(true)`, `event.setCustomInstructions(text)`, `event.setReplaceInstructions(false)` and `event.cancel()` answer too.",
    isAwaited: true,
    example: { label: "before the rewrite" },
  },
  session_tree: {
    description: "The session stands elsewhere in its tree. Answer with entries that are to stand there.",
    isAwaited: true,
    example: { entries: [{ type: "custom", customType: "mine", data: { checkpoint: "4f2a" } }] },
  },
  session_shutdown: { description: "The session is about to be left. Afterwards acts do nothing.", isAwaited: true },
  session_info_changed: { description: "The session has another name.", isAwaited: false },
  input: {
    description:
      "Somebody said something; nothing is kept or sent yet. Answer with other words, or that you have taken care of it.",
    isAwaited: true,
    example: { action: "transform", text: "Say it in one sentence: what is a monad?" },
  },
  before_agent_start: {
    description:
      "What was said is in the log, and the first request comes next. Answer with a message for the model, or with a section of what it is told first.",
    isAwaited: true,
    example: { message: { customType: "mine", content: "The build is broken since noon.", display: true } },
  },
  agent_start: { description: "A run begins.", isAwaited: false },
  agent_end: { description: "A run has ended, with all that was said in it.", isAwaited: false },
  agent_before_settle: {
    description: "The model has no more to say, and nothing waits. Answer with entries, or that it is asked once more.",
    isAwaited: true,
    example: { continue: true },
  },
  agent_settled: {
    description: "Nothing is under way any more, and nothing will begin by itself, but for what an extension begins.",
    isAwaited: false,
  },
  turn_start: { description: "A request comes next.", isAwaited: false },
  turn_end: {
    description:
      "A reply and the results of its calls are in the log. Answer with entries that are to stand behind them, or that the model is asked once more. Where the run failed or was stopped nobody is asked; `agent_end` says so.",
    isAwaited: true,
    example: { entries: [{ type: "custom_message", customType: "mine", content: "Two tests fail.", display: true }] },
  },
  message_start: { description: "A message begins.", isAwaited: false },
  message_update: { description: "A piece of a reply has come.", isAwaited: false },
  message_end: {
    description: "A message is whole, and about to be kept. Answer with another one in its place, with the same role.",
    isAwaited: true,
    example: { message: { role: "user", content: "Shorter, please.", timestamp: 0 } },
  },
  tool_execution_start: { description: "A tool is about to be run.", isAwaited: false },
  tool_execution_update: { description: "A tool that runs has said something.", isAwaited: false },
  tool_execution_end: { description: "A tool has ended, with its result.", isAwaited: false },
  tool_call: {
    description:
      "The model calls a tool; nobody was asked yet whether it may. Answer to block it, or with other arguments as `input`. Where you fail it is not run: you may be a guard.",
    isAwaited: true,
    example: { block: true, reason: "The folder dist is written by the build." },
  },
  tool_result: {
    description: "A tool has answered; nothing of it is kept yet. Answer with other content or details.",
    isAwaited: true,
    example: { content: [{ type: "text", text: "3 lines" }] },
  },
  context: {
    description:
      "A request is about to be sent; here are its messages without the system's, as a copy. Answer with others. The log stays as it is.",
    isAwaited: true,
    example: { messages: [{ role: "user", content: "Go on.", timestamp: 0 }] },
  },
  context_with_system: {
    description: "The same, the system's messages included.",
    isAwaited: true,
    example: { messages: [{ role: "user", content: "Go on.", timestamp: 0 }] },
  },
  before_provider_request: {
    description:
      "A request goes out. Answer with more headers; keys, hosts and what belongs to the transport cannot be said.",
    isAwaited: true,
    example: { headers: { "x-team": "compilers" } },
  },
  after_provider_response: { description: "The provider has answered; its words come next.", isAwaited: true },
  provider_stream_event: { description: "A piece has come, as the provider sent it.", isAwaited: true },
  model_select: { description: "Another model speaks from the next request on.", isAwaited: true },
  thinking_level_select: { description: "The model thinks more or less from the next request on.", isAwaited: true },
  user_bash: {
    description: "The user has written a shell line of their own. Answer with what came of it, and it is not run.",
    isAwaited: true,
    example: { result: { output: "nothing to do\n", exitCode: 0 } },
  },
  ui_prompt_start: { description: "An extension asks a person something.", isAwaited: false },
  ui_prompt_end: { description: "That question is over, answered or not.", isAwaited: false },
};
