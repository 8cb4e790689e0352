/** Documents every event an extension can listen to. The compiler checks that none is missing. */

import type { ExtensionEventName, ResultOf } from "./events.ts";

export interface EventRow<Name extends ExtensionEventName> {
  /** When it comes, and what one may answer. */
  readonly says: string;
  /** Whether it is waited for; else it is only told, and what is answered does not count. */
  readonly asks: boolean;
  /** What an answer looks like; absent where none is read. */
  readonly example?: ResultOf<Name>;
}

export type EventTable = { readonly [Name in ExtensionEventName]: EventRow<Name> };

/** One row per event, in the order in which a session meets them. */
export const extensionEventTable: EventTable = {
  project_trust: {
    says: "A folder holds what counts only where it is trusted. Answer whether it is, for this call alone. Extensions of the user alone are asked.",
    asks: true,
    example: { trusted: true },
  },
  resources_discover: {
    says: "Skills and templates are looked for. Answer with more folders, by absolute paths.",
    asks: true,
    example: { skillPaths: ["/home/ada/skills"] },
  },
  session_start: { says: "There is a session. From here on acts reach it.", asks: true },
  session_before_switch: {
    says: "Another session is about to take this one's place. Answer to prevent it.",
    asks: true,
    example: { cancel: true },
  },
  session_before_fork: {
    says: "A session is about to be made of a part of this one. Answer to prevent it.",
    asks: true,
    example: { cancel: true },
  },
  session_before_compact: {
    says: "A compaction is about to begin. Answer to prevent it, to put it off once, to say what matters, or with a summary of your own, which is checked like any other. `event.setResult(compaction)` and `event.cancel()` answer too.",
    asks: true,
    example: { customInstructions: "Keep every decision about the database." },
  },
  session_compact: {
    says: "A compaction was made. Answer with entries that are to stand behind it.",
    asks: true,
    example: {
      entries: [{ type: "custom_message", customType: "mine", content: "The plan is in PLAN.md.", display: true }],
    },
  },
  session_compact_failed: { says: "A compaction was cancelled or failed; nothing was changed.", asks: true },
  session_before_tree: {
    says: "The session is about to go elsewhere in its tree. Answer to prevent it, with a summary of what is left, whether there is one (`summarize`), with instructions for it, or with a label. `event.setSummarize(true)`, `event.setCustomInstructions(text)`, `event.setReplaceInstructions(false)` and `event.cancel()` answer too.",
    asks: true,
    example: { label: "before the rewrite" },
  },
  session_tree: {
    says: "The session stands elsewhere in its tree. Answer with entries that are to stand there.",
    asks: true,
    example: { entries: [{ type: "custom", customType: "mine", data: { checkpoint: "4f2a" } }] },
  },
  session_shutdown: { says: "The session is about to be left. Afterwards acts do nothing.", asks: true },
  session_info_changed: { says: "The session has another name.", asks: false },
  input: {
    says: "Somebody said something; nothing is kept or sent yet. Answer with other words, or that you have taken care of it.",
    asks: true,
    example: { action: "transform", text: "Say it in one sentence: what is a monad?" },
  },
  before_agent_start: {
    says: "What was said is in the log, and the first request comes next. Answer with a message for the model, or with a section of what it is told first.",
    asks: true,
    example: { message: { customType: "mine", content: "The build is broken since noon.", display: true } },
  },
  agent_start: { says: "A run begins.", asks: false },
  agent_end: { says: "A run has ended, with all that was said in it.", asks: false },
  agent_before_settle: {
    says: "The model has no more to say, and nothing waits. Answer with entries, or that it is asked once more.",
    asks: true,
    example: { continue: true },
  },
  agent_settled: {
    says: "Nothing is under way any more, and nothing will begin by itself, but for what an extension begins.",
    asks: false,
  },
  turn_start: { says: "A request comes next.", asks: false },
  turn_end: {
    says: "A reply and the results of its calls are in the log. Answer with entries that are to stand behind them, or that the model is asked once more. Where the run failed or was stopped nobody is asked; `agent_end` says so.",
    asks: true,
    example: { entries: [{ type: "custom_message", customType: "mine", content: "Two tests fail.", display: true }] },
  },
  message_start: { says: "A message begins.", asks: false },
  message_update: { says: "A piece of a reply has come.", asks: false },
  message_end: {
    says: "A message is whole, and about to be kept. Answer with another one in its place, with the same role.",
    asks: true,
    example: { message: { role: "user", content: "Shorter, please.", timestamp: 0 } },
  },
  tool_execution_start: { says: "A tool is about to be run.", asks: false },
  tool_execution_update: { says: "A tool that runs has said something.", asks: false },
  tool_execution_end: { says: "A tool has ended, with its result.", asks: false },
  tool_call: {
    says: "The model calls a tool; nobody was asked yet whether it may. Answer to block it, or with other arguments as `input`. Where you fail it is not run: you may be a guard.",
    asks: true,
    example: { block: true, reason: "The folder dist is written by the build." },
  },
  tool_result: {
    says: "A tool has answered; nothing of it is kept yet. Answer with other content or details.",
    asks: true,
    example: { content: [{ type: "text", text: "3 lines" }] },
  },
  context: {
    says: "A request is about to be sent; here are its messages without the system's, as a copy. Answer with others. The log stays as it is.",
    asks: true,
    example: { messages: [{ role: "user", content: "Go on.", timestamp: 0 }] },
  },
  context_with_system: {
    says: "The same, the system's messages included.",
    asks: true,
    example: { messages: [{ role: "user", content: "Go on.", timestamp: 0 }] },
  },
  before_provider_request: {
    says: "A request goes out. Answer with more headers; keys, hosts and what belongs to the transport cannot be said.",
    asks: true,
    example: { headers: { "x-team": "compilers" } },
  },
  after_provider_response: { says: "The provider has answered; its words come next.", asks: true },
  provider_stream_event: { says: "A piece has come, as the provider sent it.", asks: true },
  model_select: { says: "Another model speaks from the next request on.", asks: true },
  thinking_level_select: { says: "The model thinks more or less from the next request on.", asks: true },
  user_bash: {
    says: "The user has written a shell line of their own. Answer with what came of it, and it is not run.",
    asks: true,
    example: { result: { output: "nothing to do\n", exitCode: 0 } },
  },
  ui_prompt_start: { says: "An extension asks a person something.", asks: false },
  ui_prompt_end: { says: "That question is over, answered or not.", asks: false },
};
