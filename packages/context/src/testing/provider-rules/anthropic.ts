/** Lists what Anthropic Messages refuses. Two replies in a row are not on the list: the API joins them into one turn. */

import { cacheMarksBeyond, cacheMarksNowhere } from "./cache-checks.ts";
import {
  argumentsNotObjects,
  blankTexts,
  failedReplies,
  foreignThinking,
  loneSurrogates,
  messagesWithoutBlocks,
  openingNotFromUser,
  silence,
  trailingThinking,
  unknownRoles,
  unreadableImages,
  unsignedThinking,
  webImages,
} from "./message-checks.ts";
import { type ProviderRule, rule } from "./rule.ts";
import {
  callsAnsweredTwice,
  displacedResults,
  forcedChoiceWhileThinking,
  idsOutside,
  repeatedIds,
  repeatedToolNames,
  resultsWithoutCall,
  toolNamesOutside,
  unansweredCalls,
  undeclaredChoice,
} from "./tool-checks.ts";

export const anthropic: readonly ProviderRule[] = [
  rule(
    "ANT1",
    "A conversation that the user does not open, or that an unknown role joins, is refused.",
    silence,
    openingNotFromUser,
    unknownRoles,
  ),
  rule("ANT2", "A call without exactly one result is refused.", unansweredCalls, callsAnsweredTwice),
  rule(
    "ANT3",
    "A result that does not stand right behind the message with its call is refused.",
    resultsWithoutCall,
    displacedResults,
  ),
  rule(
    "ANT4",
    "A call id that serves twice, or has other characters than letters, digits, _ and -, is refused.",
    idsOutside(/^[a-zA-Z0-9_-]+$/),
    repeatedIds(),
  ),
  rule(
    "ANT5",
    "Thinking without a signature, or with one that another model made, is refused.",
    unsignedThinking,
    foreignThinking,
  ),
  rule("ANT6", "A reply that ends in thinking is refused.", trailingThinking),
  rule(
    "ANT7",
    "A message without content and a text of nothing but white space are refused.",
    messagesWithoutBlocks,
    blankTexts,
  ),
  rule("ANT8", "An image that is not base64 of JPEG, PNG, GIF or WebP is refused.", unreadableImages(webImages)),
  rule("ANT9", "A call whose arguments are not an object is refused.", argumentsNotObjects),
  rule(
    "ANT10",
    "A tool name that is declared twice, or is not 1 to 128 letters, digits, _ and -, is refused.",
    toolNamesOutside(/^[a-zA-Z0-9_-]{1,128}$/),
    repeatedToolNames,
  ),
  rule(
    "ANT11",
    "Forcing a tool that is not declared, or any tool while thinking is on, is refused.",
    undeclaredChoice,
    forcedChoiceWhileThinking,
  ),
  rule(
    "ANT12",
    "More than four cache marks, or one on a message that is not there, are refused.",
    cacheMarksBeyond(4),
    cacheMarksNowhere,
  ),
  rule("ANT13", "A body with half of a surrogate pair is refused as broken JSON.", loneSurrogates),
  rule("ANT14", "A reply that failed or was cut off is refused for what it lacks.", failedReplies),
];
