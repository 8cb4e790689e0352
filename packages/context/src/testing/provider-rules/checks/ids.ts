/** The ids of calls: what they may be made of, and that none serves twice. */

import type { Request } from "../../../request.ts";
import type { Check } from "../rule.ts";
import { type CallPlace, callPlaces, messagePlaces, repeats } from "./places.ts";

export function idsOutside(pattern: RegExp): Check {
  return (request) =>
    calls(request)
      .filter(({ id }) => !pattern.test(id))
      .map(({ at, id }) => `${at}: id "${id}" does not match ${pattern.source}`);
}

/** `part` is what the provider sees of an id: the whole of it, if not told otherwise. */
export function repeatedIds(part: (id: string) => string = (id) => id): Check {
  return (request) =>
    repeats(calls(request), ({ id }) => part(id)).map(({ at, id }) => `${at}: id "${id}" serves a second call`);
}

function calls(request: Request): readonly CallPlace[] {
  return messagePlaces(request).flatMap(callPlaces);
}
