/** Lists what OpenAI Chat Completions refuses, and the strictest of the many servers that implement it. */

import {
  failedReplies,
  foreignSignatures,
  foreignThinking,
  loneSurrogates,
  mutedMessages,
  openingNotFromUser,
  silence,
  successiveReplies,
  unknownRoles,
  unreadableImages,
  webImages,
} from "./message-checks.ts";
import { type ProviderRule, rule } from "./rule.ts";
import {
  callsAnsweredTwice,
  displacedResults,
  idsOutside,
  repeatedIds,
  resultsWithoutCall,
  toolNamesOutside,
  unansweredCalls,
  undeclaredChoice,
} from "./tool-checks.ts";

export const openaiCompletions: readonly ProviderRule[] = [
  rule(
    "OAC1",
    "A conversation that the user does not open, or that an unknown role joins, is refused.",
    silence,
    openingNotFromUser,
    unknownRoles,
  ),
  rule("OAC2", "A reply right after a reply is refused.", successiveReplies),
  rule("OAC3", "A call without exactly one result is refused.", unansweredCalls, callsAnsweredTwice),
  rule(
    "OAC4",
    "A result that does not stand right behind the message with its call is refused.",
    resultsWithoutCall,
    displacedResults,
  ),
  rule(
    "OAC5",
    "A call id that serves twice, or is not 1 to 64 letters, digits, _ and -, is refused.",
    idsOutside(/^[a-zA-Z0-9_-]{1,64}$/),
    repeatedIds(),
  ),
  rule("OAC6", "Reasoning that another model made or signed is refused.", foreignThinking, foreignSignatures),
  rule("OAC7", "A message with neither content nor call is refused, whatever was thought in it.", mutedMessages),
  rule("OAC8", "An image that is not base64 of JPEG, PNG, GIF or WebP is refused.", unreadableImages(webImages)),
  rule(
    "OAC9",
    "A tool name that is not 1 to 64 letters, digits, _ and - is refused.",
    toolNamesOutside(/^[a-zA-Z0-9_-]{1,64}$/),
  ),
  rule("OAC10", "Forcing a tool that is not declared is refused.", undeclaredChoice),
  rule("OAC11", "A body with half of a surrogate pair is refused as broken JSON.", loneSurrogates),
  rule("OAC12", "A reply that failed or was cut off is refused for what it lacks.", failedReplies),
];
