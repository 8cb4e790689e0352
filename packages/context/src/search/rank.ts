/** Finds the entries that match a query and ranks them: all that contain every word, or all that contain some. */

import type { Database } from "./database.ts";
import {
  fileTerm,
  folderTerm,
  type IndexMarks,
  isRareQuery,
  type QueryTerm,
  type SearchQuery,
  SUMMARY_TERM,
  toMatchExpression,
  toolTerm,
  toPhraseQuery,
  toPrefilterQuery,
} from "./query.ts";
import type { HitKind } from "./searchable-text.ts";
import {
  type FileLocation,
  findFileRecord,
  findMatchingEntries,
  findMatchingIds,
  findNewestIds,
  lastEntryId,
  readCandidates,
  readFolders,
  type SearchCandidate,
} from "./tables.ts";

export interface CandidateOptions {
  readonly searchQuery: SearchQuery;
  /** The session folders. */
  readonly folderPaths: readonly string[];
  /** Only entries of this file match. */
  readonly sessionFile?: FileLocation | undefined;
  /** Only calls of this tool and their results match. */
  readonly tool?: string | undefined;
  /** Whether summaries do not match. */
  readonly skipsSummaries?: boolean | undefined;
  /** In milliseconds since 1970. */
  readonly since: number;
}

export interface CandidateList {
  readonly best: readonly SearchCandidate[];
  /** Whether more entries match than are ranked. */
  readonly more: boolean;
  /** The query, with the weights of its terms. */
  readonly query: SearchQuery;
}

/** Finds and ranks the newest entries that match. Without a word to search for, the newest entry comes first. */
export function findCandidates(database: Database, options: CandidateOptions): CandidateList {
  const { searchQuery: query, tool, since } = options;
  const scope = findScope(database, options);
  const isEmpty = query.terms.length === 0 && !query.path && tool === undefined;
  if (isEmpty || scope === null) return { best: [], more: false, query };
  const marks = {
    required: [...scope.marks, ...(tool === undefined ? [] : [[toolTerm(tool)]])],
    excluded: options.skipsSummaries ? SUMMARY_TERM : undefined,
  };
  return query.match === "any" && query.terms.length > 1
    ? findPartialMatches(database, { query, marks, since, entries: scope.entries })
    : findFullMatches(database, { query, marks, since });
}

interface SearchScope {
  /** The marks that an entry must have. */
  readonly marks: IndexMarks["required"];
  /** The number of entries in the scope, about. */
  readonly entries: number;
}

/** Null if nothing of the scope is in the index. */
function findScope(database: Database, { sessionFile, folderPaths }: CandidateOptions): SearchScope | null {
  if (sessionFile) {
    const file = findFileRecord(database, sessionFile);
    return file ? { marks: [[fileTerm(file.id)]], entries: file.entries } : null;
  }
  const folderIds = resolveFolderIds(database, folderPaths);
  if (folderIds?.length === 0) return null;
  return { marks: folderIds ? [folderIds.map(folderTerm)] : [], entries: lastEntryId(database) };
}

/** Null if the search covers all folders of the index. */
function resolveFolderIds(database: Database, folderPaths: readonly string[]): readonly number[] | null {
  const indexFolders = readFolders(database);
  const requestedPaths = new Set(folderPaths);
  if ([...indexFolders.keys()].every((path) => requestedPaths.has(path))) return null;
  return folderPaths.flatMap((path) => indexFolders.get(path)?.id ?? []);
}

interface MatchOptions {
  readonly query: SearchQuery;
  readonly marks: IndexMarks;
  readonly since: number;
}

function findFullMatches(database: Database, { query, marks, since }: MatchOptions): CandidateList {
  const prefilter = toPrefilterQuery(query);
  const entries = findMatchingEntries(database, {
    match: toMatchExpression(query, marks),
    prefilter: prefilter && toMatchExpression(prefilter, marks),
    isRare: isRareQuery(query),
    since,
    limit: MAX_RANKED_ENTRIES + 1,
  });
  const newest = entries.slice(0, MAX_RANKED_ENTRIES);
  const more = entries.length > MAX_RANKED_ENTRIES;
  if (query.terms.length === 0) return { best: newest, more, query };
  const phrase = toPhraseQuery(query);
  const last = newest.at(-1);
  const phraseIds =
    phrase && last ? findMatchingIds(database, toMatchExpression(phrase, marks), last.id) : new Set<number>();
  return { best: rankCandidates(newest, (id) => (phraseIds.has(id) ? PHRASE_SCORE : 0)), more, query };
}

/**
 * Entries that contain some of the words. Each word weighs by its rarity, and the rarest word of an entry counts most: a name says more
 * about an entry than several common words.
 */
function findPartialMatches(
  database: Database,
  { query, marks, since, entries }: MatchOptions & Pick<SearchScope, "entries">,
): CandidateList {
  const last = lastEntryId(database);
  const scores = new Map<number, number>();
  const findTerm = (term: QueryTerm): WeightedTerm => {
    const match = toMatchExpression({ ...query, terms: [term] }, marks);
    const ids = findNewestIds(database, match, MAX_IDS_PER_WORD);
    const weight = Math.log(1 + entries / Math.max(1, estimateMatchCount(ids, { entries, last })));
    return { term: { ...term, weight }, weight, ids };
  };
  const found = query.terms.map(findTerm);
  for (const { weight, ids } of found.toSorted((one, other) => other.weight - one.weight))
    for (const id of ids) {
      const rarest = scores.get(id);
      scores.set(id, rarest === undefined ? weight : rarest + weight * FURTHER_WORD_SHARE);
    }
  const minScore = MIN_SCORE_SHARE * Math.log(1 + entries);
  const significant = [...scores].filter(([, score]) => score >= minScore);
  const relevant = significant.length > 0 ? significant : [...scores];
  const best = relevant
    .sort(([oneId, one], [otherId, other]) => other - one || otherId - oneId)
    .slice(0, MAX_PARTIAL_MATCHES)
    .map(([id]) => id);
  const candidates = readCandidates(database, best).filter(({ time }) => time >= since);
  return {
    best: rankCandidates(candidates, (id) => WORD_SCORE * (scores.get(id) ?? 0)),
    more: relevant.length > MAX_PARTIAL_MATCHES,
    query: { ...query, terms: found.map(({ term }) => term) },
  };
}

interface WeightedTerm {
  readonly term: QueryTerm;
  readonly weight: number;
  /** The entries that contain it. */
  readonly ids: readonly number[];
}

/** If there are more matches than were read, their number is estimated from how densely the read ones are spread. */
function estimateMatchCount(
  ids: readonly number[],
  { entries, last }: { readonly entries: number; readonly last: number },
): number {
  const oldest = ids.at(-1);
  if (oldest === undefined || ids.length < MAX_IDS_PER_WORD) return ids.length;
  return ids.length * Math.max(1, entries / (last - oldest + 1));
}

/** The share of the highest weight that a match needs: a word in every tenth entry is none, unless there is no better one. */
const MIN_SCORE_SHARE = 0.3;
/** The part of its weight that a word adds to a rarer one. */
const FURTHER_WORD_SHARE = 0.03;
/** The words of the query count more than all other criteria. */
const WORD_SCORE = 100;
const MAX_PARTIAL_MATCHES = 300;
/** A word in more entries is common, and only the newest of them are read. */
const MAX_IDS_PER_WORD = 1_000;
const PHRASE_SCORE = 2;

/** Only this many entries, the newest, are ranked. */
const MAX_RANKED_ENTRIES = 2_000;

/**
 * Sorts candidates, best first: a high word score before a low one, user text before program output, short before long, new before old. Of
 * equal candidates the newest comes first.
 */
function rankCandidates(
  candidates: readonly SearchCandidate[],
  scoreWords: (id: number) => number,
): readonly SearchCandidate[] {
  const newest = Math.max(...candidates.map(({ time }) => time));
  const scored = candidates.map((candidate) => ({
    candidate,
    score: scoreWords(candidate.id) + scoreCandidate(candidate, newest),
  }));
  return scored
    .sort((one, other) => other.score - one.score || compareCandidates(one.candidate, other.candidate))
    .map(({ candidate }) => candidate);
}

// The author is worth up to three points, every other signal up to two. A short text with the words is more likely about them.
function scoreCandidate({ kind, chars, time }: SearchCandidate, newest: number): number {
  const density = Math.min(2, Math.max(0, 4 - Math.log10(Math.max(1, chars))));
  const recency = 2 * 0.5 ** ((newest - time) / MONTH_MS);
  return KIND_SCORES[kind] + density + recency;
}

function compareCandidates(one: SearchCandidate, other: SearchCandidate): number {
  return other.time - one.time || other.id - one.id;
}

const MONTH_MS = 30 * 86_400_000;

const KIND_SCORES: Readonly<Record<HitKind, number>> = {
  user: 3,
  session_info: 3,
  label: 3,
  assistant: 2,
  compaction: 1.5,
  branch_summary: 1.5,
  bashExecution: 1.5,
  custom_message: 1,
  custom: 1,
  program: 1,
  toolResult: 0,
};
