/** Lists what OpenAI refuses: Chat Completions with the strictest of the many servers that implement it, and Responses. */

import {
  consecutiveReplies,
  emptyConversation,
  firstMessageNotFromUser,
  foreignSignatures,
  foreignThinking,
  incompleteReplies,
  loneSurrogates,
  messagesWithoutContentOrCall,
  repliesEndingInThinking,
  repliesWithUnsignedThinking,
  unknownRoles,
  unreadableImages,
  webImageTypes,
} from "./message-checks.ts";
import { defineProviderRule, type ProviderRule } from "./rule.ts";
import {
  callsWithoutResult,
  callsWithTwoResults,
  duplicateCallIds,
  invalidCallIds,
  invalidToolNames,
  resultsOutOfPlace,
  resultsWithoutCall,
  unknownToolChoice,
} from "./tool-checks.ts";

export const openaiCompletionsRules: readonly ProviderRule[] = [
  defineProviderRule(
    "OAC1",
    "A conversation that the user does not open, or that an unknown role joins, is refused.",
    emptyConversation,
    firstMessageNotFromUser,
    unknownRoles,
  ),
  defineProviderRule("OAC2", "A reply right after a reply is refused.", consecutiveReplies),
  defineProviderRule("OAC3", "A call without exactly one result is refused.", callsWithoutResult, callsWithTwoResults),
  defineProviderRule(
    "OAC4",
    "A result that does not stand right behind the message with its call is refused.",
    resultsWithoutCall,
    resultsOutOfPlace,
  ),
  defineProviderRule(
    "OAC5",
    "A call id that serves twice, or is not 1 to 64 letters, digits, _ and -, is refused.",
    invalidCallIds(/^[a-zA-Z0-9_-]{1,64}$/),
    duplicateCallIds(),
  ),
  defineProviderRule(
    "OAC6",
    "Reasoning that another model made or signed is refused.",
    foreignThinking,
    foreignSignatures,
  ),
  defineProviderRule(
    "OAC7",
    "A message with neither content nor call is refused, whatever was thought in it.",
    messagesWithoutContentOrCall,
  ),
  defineProviderRule(
    "OAC8",
    "An image that is not base64 of JPEG, PNG, GIF or WebP is refused.",
    unreadableImages(webImageTypes),
  ),
  defineProviderRule(
    "OAC9",
    "A tool name that is not 1 to 64 letters, digits, _ and - is refused.",
    invalidToolNames(/^[a-zA-Z0-9_-]{1,64}$/),
  ),
  defineProviderRule("OAC10", "Forcing a tool that is not declared is refused.", unknownToolChoice),
  defineProviderRule("OAC11", "A body with half of a surrogate pair is refused as broken JSON.", loneSurrogates),
  defineProviderRule("OAC12", "A reply that failed or was cut off is refused for what it lacks.", incompleteReplies),
];

/** One id holds two: that of the call and, behind a bar, that of the item. */
const CALL_ID_PATTERN = /^[a-zA-Z0-9_-]{1,64}(\|[a-zA-Z0-9_-]{1,64})?$/;

export const openaiResponsesRules: readonly ProviderRule[] = [
  defineProviderRule("OAR1", "A message of an unknown role is refused.", unknownRoles),
  defineProviderRule("OAR2", "A call without exactly one output is refused.", callsWithoutResult, callsWithTwoResults),
  defineProviderRule("OAR3", "An output without a call before it is refused.", resultsWithoutCall),
  defineProviderRule(
    "OAR4",
    "A call id that serves twice, or an id part that is not 1 to 64 letters, digits, _ and -, is refused.",
    invalidCallIds(CALL_ID_PATTERN),
    duplicateCallIds(toCallId),
  ),
  defineProviderRule(
    "OAR5",
    "Reasoning without its encrypted item, or with one that another model made, is refused.",
    repliesWithUnsignedThinking,
    foreignThinking,
  ),
  defineProviderRule("OAR6", "Reasoning that no text or call follows is refused.", repliesEndingInThinking),
  defineProviderRule(
    "OAR7",
    "The item id of a text or call, sent without the reasoning it belongs to, is refused.",
    foreignSignatures,
  ),
  defineProviderRule(
    "OAR8",
    "An image that is not base64 of JPEG, PNG, GIF or WebP is refused.",
    unreadableImages(webImageTypes),
  ),
  defineProviderRule(
    "OAR9",
    "A tool name that is not 1 to 64 letters, digits, _ and - is refused.",
    invalidToolNames(/^[a-zA-Z0-9_-]{1,64}$/),
  ),
  defineProviderRule("OAR10", "Forcing a tool that is not declared is refused.", unknownToolChoice),
  defineProviderRule("OAR11", "A body with half of a surrogate pair is refused as broken JSON.", loneSurrogates),
  defineProviderRule("OAR12", "A reply that failed or was cut off is refused for what it lacks.", incompleteReplies),
];

function toCallId(id: string): string {
  return id.split("|", 1)[0] ?? id;
}
