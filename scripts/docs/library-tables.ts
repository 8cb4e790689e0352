/** Renders the tables about compaction limits, providers and timeouts, from the values that the libraries use. */

import { type CompactionLimits, compactionLimits, createBudget } from "@pith/context";
import { reductionLevels } from "@pith/context/host";
import { defaultRequestPolicy, providers } from "@pith/models";
import { formatTable } from "./pages.ts";

export const compactionTables: Readonly<Record<string, () => string>> = {
  "compaction-defaults": () => defaultsTable(compactionLimits),
  "compaction-windows": () => windowsTable(compactionLimits),
  "reduction-levels": reductionLevelTable,
};

function defaultsTable(limits: CompactionLimits): string {
  const formatAmount = ({ tokens, share }: CompactionLimits["tail"]): string =>
    `min(${formatNumber(tokens)}, ${formatPercent(share)} of the window)`;
  const reserve = limits.thresholds[0]?.reserve ?? 0;
  return formatTable(
    ["setting", "default", "what it is"],
    [
      ["`enabled`", String(limits.enabled), "whether sessions are compacted automatically"],
      [
        "`thresholds`",
        `window − min(${formatNumber(reserve)}, ${formatPercent(limits.largestReserve)} of the window)`,
        "a context with more tokens is compacted; the lowest threshold that applies is used",
      ],
      ["`soft`", `${formatPercent(limits.soft)} of that`, "above this, a notice says that a compaction is near"],
      ["`tail`", formatAmount(limits.tail), "the newest part of the conversation, kept as it is"],
      ["`words`", formatAmount(limits.words), "your earlier messages, word for word"],
      ["`checkpoint`", formatAmount(limits.checkpoint), "the summary and what code recorded, together"],
      ["`branch`", formatAmount(limits.branch), "the summary of an abandoned branch"],
      [
        "`reduced`",
        formatAmount(limits.reduced),
        "what is shown of one result or paste that is too large for the kept part",
      ],
      [
        "`wire`",
        `${formatPercent(limits.wire.share)} of ${limits.wire.bytes / 1024 / 1024} MiB`,
        "a request with more bytes is compacted",
      ],
      ["`progress`", formatPercent(limits.progress), "a compaction that frees less counts as unsuccessful"],
      ["`rounds`", String(limits.rounds), "after so many of those in a row, automatic compaction stops"],
      [
        "`quietAfterUndo`",
        `${formatPercent(limits.quietAfterUndo)} of the window`,
        "how much the context must grow after an undo before it is compacted automatically",
      ],
      [
        "`summaryTime`",
        Object.values(limits.summaryTime).map(formatSeconds).join(", "),
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

function windowsTable(limits: CompactionLimits): string {
  const windowSizes = [8_000, 32_000, 128_000, 200_000, 1_000_000];
  const rows = windowSizes.map((contextWindow) => {
    const { limit, tail, userMessages, checkpoint, reducedMessage } = createBudget(limits, { contextWindow });
    return [contextWindow, limit, tail, userMessages, checkpoint, reducedMessage].map(formatNumber);
  });
  return formatTable(
    ["window", "compacted above", "kept part (`tail`)", "your messages (`words`)", "`checkpoint`", "`reduced`"],
    rows,
  );
}

function reductionLevelTable(): string {
  const rows = reductionLevels.map(({ name, tailShare, summaryShare, reduceAbove }) => [
    name,
    tailShare === 0 ? "none" : formatPercent(tailShare),
    formatPercent(summaryShare),
    tailShare === 0 ? "–" : `above ${formatPercent(reduceAbove)} of the kept part`,
  ]);
  return formatTable(["reduction level", "kept part", "summary message", "results are shortened"], rows);
}

const formatNumber = (value: number): string => value.toLocaleString("en-US");
const formatPercent = (share: number): string => `${Math.round(share * 100)} %`;

export const modelTables: Readonly<Record<string, () => string>> = {
  "model-providers": providerTable,
  "model-patience": timeoutTable,
};

function providerTable(): string {
  return formatTable(
    ["`provider`", "speaks", "lives at", "key"],
    providers.map(({ id, api, baseUrl, keyVariables, isLocal }) => [
      `\`${id}\``,
      api,
      baseUrl ?? (id === "openai-compatible" ? "the `baseUrl` you give" : "where its package says"),
      keyVariables.length === 0
        ? isLocal
          ? "none"
          : "`apiKey`, if it wants one"
        : keyVariables.map((key) => `\`${key}\``).join(" or "),
    ]),
  );
}

function timeoutTable(): string {
  const { retries, maxTotalWaitMs, firstWaitMs, maxWaitMs, firstTokenTimeoutMs, idleTimeoutMs } = defaultRequestPolicy;
  return formatTable(
    ["setting", "default", "what it is"],
    [
      ["`retries`", String(retries), "times it is asked again"],
      [
        "`budgetMs`",
        formatSeconds(maxTotalWaitMs),
        "of waiting, all retries together; a longer wish of the provider ends it at once",
      ],
      ["`firstMs`", formatSeconds(firstWaitMs), "the first wait at most; each one after it may be twice as long"],
      ["`longestMs`", formatSeconds(maxWaitMs), "the longest wait that nobody asked for"],
      [
        "`firstTokenMs`",
        formatSeconds(firstTokenTimeoutMs),
        "until the first token of an answer; a local model may read a long prompt for minutes",
      ],
      [
        "`silenceMs`",
        formatSeconds(idleTimeoutMs),
        "without a sign of life after the first token, then the line is taken for dead",
      ],
    ],
  );
}

function formatSeconds(ms: number): string {
  return `${ms / 1000} s`;
}
