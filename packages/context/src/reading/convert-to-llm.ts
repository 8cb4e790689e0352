/** Context to what a provider accepts, after every hook has had its say. */

import type { AgentMessage, Message } from "../message.ts";
import type { ModelName } from "../request.ts";
import { growing } from "./growing.ts";
import { emptyPairing, type Pairing, pair, paired, settle } from "./pairing.ts";
import { sendable } from "./sendable.ts";
import { spoken, userText } from "./spoken.ts";

/**
 * What a provider accepts of these messages: every call with its result, nothing empty or failed. Without a model all
 * goes back to those it came from.
 */
export function convertToLlm(messages: readonly AgentMessage[], to?: ModelName): readonly Message[] {
  return paired(conversion(messages, to).pairing);
}

interface Conversion {
  readonly to: ModelName | undefined;
  readonly pairing: Pairing;
  /** Whether somebody has spoken whom an assistant message may answer. */
  mayAnswer: boolean;
}

const conversion = growing<AgentMessage, Conversion, ModelName | undefined>({
  start: (to) => ({ to, pairing: emptyPairing(), mayAnswer: false }),
  take,
  isSame: (one, other) =>
    one === other || (one?.model === other?.model && one?.provider === other?.provider && one?.api === other?.api),
});

/** First as it is said, then as it may be sent, then after somebody else has spoken, then beside its call. */
function take(conversion: Conversion, message: AgentMessage): void {
  const { to, pairing, mayAnswer } = conversion;
  const words = spoken(message);
  const sent = words && sendable(words, to);
  // A reply that failed is not sent, but somebody was asked for it.
  if (message.role === "assistant" && !sent) settle(pairing);
  if (!sent) return;
  if (sent.role === "assistant" && !mayAnswer) pair(pairing, userText("(continue)", sent.timestamp), to);
  pair(pairing, sent, to);
  conversion.mayAnswer = mayAnswerAfter(sent, mayAnswer);
}

// CTX12: the user begins, and no assistant message follows another; its own tool results part them.
function mayAnswerAfter(sent: Message, before: boolean): boolean {
  if (sent.role === "system") return before;
  return sent.role !== "assistant" || sent.content.some((block) => block.type === "toolCall");
}
