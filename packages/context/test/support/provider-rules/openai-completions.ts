/** Lists what OpenAI Chat Completions refuses, and the strictest of the many servers that implement it. */

import {
  consecutiveReplies,
  emptyConversation,
  firstMessageNotFromUser,
  foreignSignatures,
  foreignThinking,
  incompleteReplies,
  loneSurrogates,
  messagesWithoutContentOrCall,
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
