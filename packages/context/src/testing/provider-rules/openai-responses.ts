/** Lists what OpenAI Responses refuses. Turns may come in any order, because items refer to each other by id. */

import {
  failedReplies,
  foreignSignatures,
  foreignThinking,
  loneSurrogates,
  trailingThinking,
  unknownRoles,
  unreadableImages,
  unsignedThinking,
  webImages,
} from "./message-checks.ts";
import { type ProviderRule, rule } from "./rule.ts";
import {
  callsAnsweredTwice,
  idsOutside,
  repeatedIds,
  resultsWithoutCall,
  toolNamesOutside,
  unansweredCalls,
  undeclaredChoice,
} from "./tool-checks.ts";

/** One id holds two: that of the call and, behind a bar, that of the item. */
const idParts = /^[a-zA-Z0-9_-]{1,64}(\|[a-zA-Z0-9_-]{1,64})?$/;

export const openaiResponses: readonly ProviderRule[] = [
  rule("OAR1", "A message of an unknown role is refused.", unknownRoles),
  rule("OAR2", "A call without exactly one output is refused.", unansweredCalls, callsAnsweredTwice),
  rule("OAR3", "An output without a call before it is refused.", resultsWithoutCall),
  rule(
    "OAR4",
    "A call id that serves twice, or an id part that is not 1 to 64 letters, digits, _ and -, is refused.",
    idsOutside(idParts),
    repeatedIds(callId),
  ),
  rule(
    "OAR5",
    "Reasoning without its encrypted item, or with one that another model made, is refused.",
    unsignedThinking,
    foreignThinking,
  ),
  rule("OAR6", "Reasoning that no text or call follows is refused.", trailingThinking),
  rule(
    "OAR7",
    "The item id of a text or call, sent without the reasoning it belongs to, is refused.",
    foreignSignatures,
  ),
  rule("OAR8", "An image that is not base64 of JPEG, PNG, GIF or WebP is refused.", unreadableImages(webImages)),
  rule(
    "OAR9",
    "A tool name that is not 1 to 64 letters, digits, _ and - is refused.",
    toolNamesOutside(/^[a-zA-Z0-9_-]{1,64}$/),
  ),
  rule("OAR10", "Forcing a tool that is not declared is refused.", undeclaredChoice),
  rule("OAR11", "A body with half of a surrogate pair is refused as broken JSON.", loneSurrogates),
  rule("OAR12", "A reply that failed or was cut off is refused for what it lacks.", failedReplies),
];

function callId(id: string): string {
  return id.split("|", 1)[0] ?? id;
}
