/** The providers and the patience of `@pith/models` as tables: what is shown is what runs. */

import { patience, providers } from "@pith/models";
import { table } from "./table.ts";

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
