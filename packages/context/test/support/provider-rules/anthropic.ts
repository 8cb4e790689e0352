/** Lists what Anthropic Messages refuses. Two replies in a row are not on the list: the API joins them into one turn. */

import {
  blankTexts,
  cacheMarksWithoutMessage,
  emptyConversation,
  firstMessageNotFromUser,
  foreignThinking,
  incompleteReplies,
  loneSurrogates,
  messagesWithoutBlocks,
  nonObjectArguments,
  repliesEndingInThinking,
  repliesWithUnsignedThinking,
  tooManyCacheMarks,
  unknownRoles,
  unreadableImages,
  webImageTypes,
} from "./message-checks.ts";
import { defineProviderRule, type ProviderRule } from "./rule.ts";
import {
  callsWithoutResult,
  callsWithTwoResults,
  duplicateCallIds,
  duplicateToolNames,
  invalidCallIds,
  invalidToolNames,
  resultsOutOfPlace,
  resultsWithoutCall,
  toolChoiceWhileThinking,
  unknownToolChoice,
} from "./tool-checks.ts";

export const anthropicRules: readonly ProviderRule[] = [
  defineProviderRule(
    "ANT1",
    "A conversation that the user does not open, or that an unknown role joins, is refused.",
    emptyConversation,
    firstMessageNotFromUser,
    unknownRoles,
  ),
  defineProviderRule("ANT2", "A call without exactly one result is refused.", callsWithoutResult, callsWithTwoResults),
  defineProviderRule(
    "ANT3",
    "A result that does not stand right behind the message with its call is refused.",
    resultsWithoutCall,
    resultsOutOfPlace,
  ),
  defineProviderRule(
    "ANT4",
    "A call id that serves twice, or has other characters than letters, digits, _ and -, is refused.",
    invalidCallIds(/^[a-zA-Z0-9_-]+$/),
    duplicateCallIds(),
  ),
  defineProviderRule(
    "ANT5",
    "Thinking without a signature, or with one that another model made, is refused.",
    repliesWithUnsignedThinking,
    foreignThinking,
  ),
  defineProviderRule("ANT6", "A reply that ends in thinking is refused.", repliesEndingInThinking),
  defineProviderRule(
    "ANT7",
    "A message without content and a text of nothing but white space are refused.",
    messagesWithoutBlocks,
    blankTexts,
  ),
  defineProviderRule(
    "ANT8",
    "An image that is not base64 of JPEG, PNG, GIF or WebP is refused.",
    unreadableImages(webImageTypes),
  ),
  defineProviderRule("ANT9", "A call whose arguments are not an object is refused.", nonObjectArguments),
  defineProviderRule(
    "ANT10",
    "A tool name that is declared twice, or is not 1 to 128 letters, digits, _ and -, is refused.",
    invalidToolNames(/^[a-zA-Z0-9_-]{1,128}$/),
    duplicateToolNames,
  ),
  defineProviderRule(
    "ANT11",
    "Forcing a tool that is not declared, or any tool while thinking is on, is refused.",
    unknownToolChoice,
    toolChoiceWhileThinking,
  ),
  defineProviderRule(
    "ANT12",
    "More than four cache marks, or one on a message that is not there, are refused.",
    tooManyCacheMarks(4),
    cacheMarksWithoutMessage,
  ),
  defineProviderRule("ANT13", "A body with half of a surrogate pair is refused as broken JSON.", loneSurrogates),
  defineProviderRule("ANT14", "A reply that failed or was cut off is refused for what it lacks.", incompleteReplies),
];
