/** Renders the tables about compaction limits, providers and timeouts, from the values that the libraries use. */

import { budgetFor, type CompactionLimits, compactionLimits, rungs } from "@pith/context";
import { patience, providers } from "@pith/models";
import { table } from "./pages.ts";

export const compactionTables: Readonly<Record<string, () => string>> = {
  "compaction-defaults": () => defaults(compactionLimits),
  "compaction-windows": () => windows(compactionLimits),
  "compaction-rungs": rungTable,
};

function defaults(limits: CompactionLimits): string {
  const amount = ({ tokens, share }: CompactionLimits["tail"]): string =>
    `min(${number(tokens)}, ${percent(share)} of the window)`;
  const reserve = limits.thresholds[0]?.reserve ?? 0;
  return table(
    ["setting", "default", "what it is"],
    [
      ["`enabled`", String(limits.enabled), "whether anything happens by itself"],
      [
        "`thresholds`",
        `window − min(${number(reserve)}, ${percent(limits.largestReserve)} of the window)`,
        "more tokens than this are too much; of several that apply the lowest wins",
      ],
      ["`soft`", `${percent(limits.soft)} of that`, "from here on you are told that it will soon be too much"],
      ["`tail`", amount(limits.tail), "what stays as it was said"],
      ["`words`", amount(limits.words), "what you wrote before the tail, word for word"],
      ["`checkpoint`", amount(limits.checkpoint), "the narrative and the ledger together"],
      ["`branch`", amount(limits.branch), "what is told of a branch that was left, its ledger included"],
      ["`reduced`", amount(limits.reduced), "what is left of one result or paste that is too big for the tail"],
      [
        "`wire`",
        `${percent(limits.wire.share)} of ${limits.wire.bytes / 1024 / 1024} MiB`,
        "more bytes than this are too much",
      ],
      ["`progress`", percent(limits.progress), "a compaction that frees less counts as none"],
      ["`rounds`", String(limits.rounds), "so many of those in a row, then the breaker opens"],
      [
        "`quietAfterUndo`",
        `${percent(limits.quietAfterUndo)} of the window`,
        "how much must be said after an undo before anything happens by itself",
      ],
      [
        "`hourly`",
        `${limits.hourly.calls} calls, $${limits.hourly.cost}`,
        "what summaries may cost within an hour; then code writes them alone",
      ],
    ],
  );
}

function windows(limits: CompactionLimits): string {
  const sizes = [8_000, 32_000, 128_000, 200_000, 1_000_000];
  const rows = sizes.map((contextWindow) => {
    const { limit, tail, words, checkpoint, reduced } = budgetFor(limits, { contextWindow });
    return [contextWindow, limit, tail, words, checkpoint, reduced].map(number);
  });
  return table(["window", "too much above", "tail", "your words", "checkpoint", "reduced"], rows);
}

function rungTable(): string {
  const rows = rungs.map(({ name, tail, front, reduceAbove }) => [
    name,
    tail === 0 ? "none" : percent(tail),
    percent(front),
    tail === 0 ? "–" : `above ${percent(reduceAbove)} of the tail`,
  ]);
  return table(["rung", "tail", "front", "results are reduced"], rows);
}

const number = (value: number): string => value.toLocaleString("en-US");
const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const modelTables: Readonly<Record<string, () => string>> = {
  "model-providers": providerTable,
  "model-patience": patienceTable,
};

function providerTable(): string {
  return table(
    ["`provider`", "speaks", "lives at", "key"],
    providers.map(({ id, api, baseUrl, keys, isLocal }) => [
      `\`${id}\``,
      api,
      baseUrl ?? (id === "openai-compatible" ? "the `baseUrl` you give" : "where its package says"),
      keys.length === 0
        ? isLocal
          ? "none"
          : "`apiKey`, if it wants one"
        : keys.map((key) => `\`${key}\``).join(" or "),
    ]),
  );
}

function patienceTable(): string {
  const { retries, budgetMs, firstMs, longestMs, silenceMs } = patience;
  return table(
    ["setting", "default", "what it is"],
    [
      ["`retries`", String(retries), "times it is asked again"],
      [
        "`budgetMs`",
        seconds(budgetMs),
        "of waiting, all retries together; a longer wish of the provider ends it at once",
      ],
      ["`firstMs`", seconds(firstMs), "the first wait at most; each one after it may be twice as long"],
      ["`longestMs`", seconds(longestMs), "the longest wait that nobody asked for"],
      ["`silenceMs`", seconds(silenceMs), "without a sign of life, then the line is taken for dead"],
    ],
  );
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
