/** The settings as tables, from the one table that the program itself goes by. */

import { budgetFor } from "@pith/context";
import { type CompactionSettings, limitsOf, type Setting, settingTable } from "pith/tables";
import { table } from "./table.ts";

export const settingsTables: Readonly<Record<string, () => string>> = {
  settings: () => settingsOf(settingTable.filter(({ name }) => !name.includes("*"))),
  "settings-overrides": () => settingsOf(settingTable.filter(({ name }) => name.includes("*"))),
  "settings-spoken": spokenTable,
  "settings-thresholds": thresholdTable,
};

function settingsOf(settings: readonly Setting[]): string {
  return table(
    ["setting", "what to write", "without it", "what it does", "a project"],
    settings.map((setting) => [
      `\`${setting.name}\``,
      setting.kind.write,
      fallback(setting),
      setting.says,
      typeof setting.project === "string" ? FOR_PROJECT[setting.project] : "only stricter",
    ]),
  );
}

const FOR_PROJECT = { may: "may", never: "never" } as const;

function fallback({ fallback: held }: Setting): string {
  return "value" in held ? `\`${JSON.stringify(held.value)}\`` : held.words;
}

function spokenTable(): string {
  const spoken = settingTable.filter(({ flag, variable }) => flag !== undefined || variable !== undefined);
  return table(
    ["setting", "for one call", "for one shell"],
    spoken.map(({ name, flag, variable }) => [`\`${name}\``, code(flag), code(variable)]),
  );
}

function code(text: string | undefined): string {
  return text === undefined ? "–" : `\`${text}\``;
}

const EXAMPLES: readonly CompactionSettings[] = [
  {},
  { reserveTokens: 40_000 },
  { thresholdPercent: 72.5 },
  { thresholdTokens: 100_000 },
  { thresholdPercent: 50, thresholdTokens: 90_000 },
  { thresholdPercent: 95 },
  { thresholdPercent: 95, reserveTokens: 0 },
];

/** The numbers that run. */
function thresholdTable(): string {
  const windows = [32_000, 200_000, 1_000_000];
  return table(
    ["`compaction`", ...windows.map((window) => `window of ${window.toLocaleString("en-US")}`)],
    EXAMPLES.map((settings) => [
      `\`${JSON.stringify(settings)}\``,
      ...windows.map((contextWindow) =>
        budgetFor(limitsOf(settings)(ANYBODY), { contextWindow }).limit.toLocaleString("en-US"),
      ),
    ]),
  );
}

const ANYBODY = { api: "", provider: "", model: "" };
