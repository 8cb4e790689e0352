/** Who may speak when: known roles, the opening, replies in a row, replies that came to nothing. */

import type { Check } from "../rule.ts";
import { callPlaces, type MessagePlace, messagePlaces, replyPlaces } from "./places.ts";

export const unknownRoles: Check = (request) =>
  messagePlaces(request)
    .filter(({ role }) => !knownRoles.has(role))
    .map(({ at, role }) => `${at}: role "${role}" is unknown`);

export const silence: Check = (request) =>
  messagePlaces(request).some(({ role }) => role !== "system") ? [] : ["messages: nobody has said anything"];

/** System messages before the opening go with the system prompt, so they do not count. */
export const openingNotFromUser: Check = (request) => {
  const opening = messagePlaces(request).find(({ role }) => role !== "system");
  return opening === undefined || opening.role === "user" ? [] : [`${opening.at}: the user does not speak first`];
};

/** System messages in between do not part two replies. */
export const successiveReplies: Check = (request) => {
  const spoken = messagePlaces(request).filter(({ role }) => role !== "system");
  return spoken
    .filter(({ role }, index) => role === "assistant" && spoken[index - 1]?.role === "assistant")
    .map(({ at }) => `${at}: a reply follows a reply`);
};

export const callsOutOfTurn: Check = (request) => {
  const places = messagePlaces(request);
  const opening = places.findIndex(({ role }) => role !== "system");
  return places
    .filter((place) => callPlaces(place).length > 0 && !hasTurnBefore(places, opening, place.index))
    .map(({ at }) => `${at}: a call follows no turn of the user or of a tool`);
};

export const failedReplies: Check = (request) =>
  replyPlaces(request)
    .filter(({ message }) => message.stopReason === "error" || message.stopReason === "aborted")
    .map(({ at, message }) => `${at}: a reply that ended in "${message.stopReason}"`);

const knownRoles: ReadonlySet<string> = new Set(["system", "user", "assistant", "toolResult"]);

/** A system message in place is sent as a turn of the user; one before the opening is not a turn. */
function hasTurnBefore(places: readonly MessagePlace[], opening: number, index: number): boolean {
  return index > opening && places[index - 1]?.role !== "assistant";
}
