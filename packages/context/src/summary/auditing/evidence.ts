/** What a summary is checked against: the log. Each answer is worked out when it is first asked for, and once. */

import type { ContextEditEntry, Entry } from "../../entry.ts";
import { earlierLines, unmarked } from "./evidence/earlier.ts";
import { footings } from "./evidence/footings.ts";
import { isKnownWord, joints, type KnownNames, knownNames } from "./evidence/known-names.ts";
import { quotable } from "./evidence/quotable.ts";
import { textsIn } from "./evidence/texts-in.ts";
import { type TypedParts, typedTexts } from "./evidence/typed.ts";
import { citedIds } from "./story/citations.ts";
import { isQuotingLine, quotingLine } from "./story/first-words.ts";
import { type Heard, heard } from "./wording/heard.ts";

export interface EvidenceParts extends TypedParts {
  readonly covered: readonly Entry[];
  readonly edits: readonly ContextEditEntry[];
  readonly pins: readonly string[];
  readonly ledger: string;
}

export interface Evidence {
  /** The user's latest request, where the kept part of the context does not say it. */
  readonly request: EvidenceParts["request"];
  /** The id of an entry as the log has it; null for one that does not exist. A full stop behind it is no part of it. */
  readonly knownId: (id: string) => string | null;
  /** Whether what was covered names a blob of this hash. */
  readonly isBlob: (hash: string) => boolean;
  /** What a person said in an entry; null where no person did. */
  readonly heardUnder: (id: string) => Heard | null;
  /** Whether a line is the first words of an entry as a person typed it, in the one form they are quoted in. */
  readonly isOpening: (id: string, line: string) => boolean;
  /** The first words of an entry as a person typed it, as a line that quotes them; null where no person did. */
  readonly openingOf: (id: string) => string | null;
  /** Whether a person typed these words, somewhere and in a row. */
  readonly isTyped: (words: string) => boolean;
  /** The newest entry of a person that a claim clearly rests on. */
  readonly footing: (claim: string) => string | null;
  /** Whether a line says what an earlier summary says that nobody has checked. */
  readonly isEarlier: (line: string) => boolean;
  readonly names: () => KnownNames;
  /** All that people typed, entry by entry. */
  readonly typed: () => readonly string[];
}

export function evidenceOf(parts: EvidenceParts): Evidence {
  const texts = once(() => typedTexts(parts));
  const typed = once(() => [...texts().values()].map((each) => each.join("\n")));
  const said = once(() => new Map([...texts()].map(([id, each]) => [id, once(() => heard(each.join("\n")))])));
  const names = once(() => knownNames(allTexts(parts)));
  const ids = once(() => knownIds(parts));
  const isTyped = once(() => quotable([...texts().values()].flat()));
  const footing = once(() => footings(new Map([...said()].map(([id, each]) => [id, each()]))));
  const earlier = once(() => footings(earlierLines(parts)));
  return {
    request: parts.request,
    knownId: (id) => [id, id.replace(STOP, "")].find((each) => ids().has(each)) ?? null,
    isBlob: (hash) => joints(hash).every(({ word }) => isKnownWord(word, names())),
    heardUnder: (id) => said().get(id)?.() ?? null,
    isOpening: (id, line) => (texts().get(id) ?? []).some((text) => isQuotingLine(line, { id, text })),
    openingOf: (id) => {
      const text = texts().get(id)?.at(-1);
      return text === undefined ? null : quotingLine({ id, text });
    },
    isTyped: (words) => isTyped()(words),
    footing: (claim) => footing()(claim),
    isEarlier: (line) => earlier()(unmarked(line)) !== null,
    names,
    typed,
  };
}

const STOP = /[.;:!?'"`*…]{1,5}$/;

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function knownIds({ covered, previous, words, ledger, request }: EvidenceParts): ReadonlySet<string> {
  const named = [previous, words, ledger].flatMap(citedIds).flatMap((id) => [id, id.replace(STOP, "")]);
  return new Set([...covered.map(({ id }) => id), ...named, ...(request ? [request.id] : [])]);
}

function* allTexts({ covered, edits, previous, words, pins, ledger, request }: EvidenceParts): Generator<string> {
  for (const entry of [...covered, ...edits]) yield* textsIn(entry);
  yield* [previous, words, ...pins, ledger, request?.text ?? ""];
}
