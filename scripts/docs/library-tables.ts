/** Renders the tables about compaction limits, providers and timeouts, from the values that the libraries use. */

import { type CompactionLimits, compactionLimits, createBudget } from "@pith/context";
import { reductionLevels } from "@pith/context/host";
import { patience, providers } from "@pith/models";
import { table } from "./pages.ts";

export const compactionTables: Readonly<Record<string, () => string>> = {
  "compaction-defaults": () => defaults(compactionLimits),
  "compaction-windows": () => windows(compactionLimits),
  "reduction-levels": reductionLevelTable,
};

function defaults(limits: CompactionLimits): string {
  const amount = ({ tokens, share }: CompactionLimits["tail"]): string =>
    `min(${number(tokens)}, ${percent(share)} of the window)`;
  const reserve = limits.thresholds[0]?.reserve ?? 0;
  return table(
    ["setting", "default", "what it is"],
    [
      ["`enabled`", String(limits.enabled), "whether sessions are compacted automatically"],
      [
        "`thresholds`",
        `window − min(${number(reserve)}, ${percent(limits.largestReserve)} of the window)`,
        "a context with more tokens is compacted; the lowest threshold that applies is used",
      ],
      ["`soft`", `${percent(limits.soft)} of that`, "above this, a notice says that a compaction is near"],
      ["`tail`", amount(limits.tail), "the newest part of the conversation, kept as it is"],
      ["`words`", amount(limits.words), "your earlier messages, word for word"],
      ["`checkpoint`", amount(limits.checkpoint), "the summary and what code recorded, together"],
      ["`branch`", amount(limits.branch), "the summary of an abandoned branch"],
      ["`reduced`", amount(limits.reduced), "what is shown of one result or paste that is too large for the kept part"],
      [
        "`wire`",
        `${percent(limits.wire.share)} of ${limits.wire.bytes / 1024 / 1024} MiB`,
        "a request with more bytes is compacted",
      ],
      ["`progress`", percent(limits.progress), "a compaction that frees less counts as unsuccessful"],
      ["`rounds`", String(limits.rounds), "after so many of those in a row, automatic compaction stops"],
      [
        "`quietAfterUndo`",
        `${percent(limits.quietAfterUndo)} of the window`,
        "how much the context must grow after an undo before it is compacted automatically",
      ],
      [
        "`summaryTime`",
        Object.values(limits.summaryTime).map(seconds).join(", "),
        "how long models may take: until the first token, from token to token, per attempt, for the whole summary",
      ],
      [
        "`hourly`",
        `${limits.hourly.calls} calls, $${limits.hourly.cost}`,
        "what summaries may cost within an hour; beyond that, code writes them without a model",
      ],
    ],
  );
}

function windows(limits: CompactionLimits): string {
  const sizes = [8_000, 32_000, 128_000, 200_000, 1_000_000];
  const rows = sizes.map((contextWindow) => {
    const {
      limit,
      tail,
      userMessages: words,
      checkpoint,
      reducedMessage: reduced,
    } = createBudget(limits, { contextWindow });
    return [contextWindow, limit, tail, words, checkpoint, reduced].map(number);
  });
  return table(
    ["window", "compacted above", "kept part (`tail`)", "your messages (`words`)", "`checkpoint`", "`reduced`"],
    rows,
  );
}

function reductionLevelTable(): string {
  const rows = reductionLevels.map(({ name, tailShare, summaryShare, reduceAbove }) => [
    name,
    tailShare === 0 ? "none" : percent(tailShare),
    percent(summaryShare),
    tailShare === 0 ? "–" : `above ${percent(reduceAbove)} of the kept part`,
  ]);
  return table(["reduction level", "kept part", "summary message", "results are shortened"], rows);
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
  const { retries, budgetMs, firstMs, longestMs, firstTokenMs, silenceMs } = patience;
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
      [
        "`firstTokenMs`",
        seconds(firstTokenMs),
        "until the first token of an answer; a local model may read a long prompt for minutes",
      ],
      [
        "`silenceMs`",
        seconds(silenceMs),
        "without a sign of life after the first token, then the line is taken for dead",
      ],
    ],
  );
}

function seconds(ms: number): string {
  return `${ms / 1000} s`;
}
