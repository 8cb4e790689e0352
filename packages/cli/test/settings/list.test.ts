/** Tests settings/list.ts: list, schema. */

import { describe, expect, test } from "vitest";
import { validateSetting } from "../../../host/src/settings/fields.ts";
import { settingTable } from "../../../host/src/settings/table.ts";
import { buildSettingsSchema, formatSettings, listSettings } from "../../src/settings/list.ts";

describe("list", () => {
  test("MCP17 variables and headers of servers are listed without their values", () => {
    const mcpServers = {
      hub: { command: "hub", env: { HUB_TOKEN: "any" } },
      web: { url: "https://example.com", headers: { Authorization: "any" } },
      bare: { command: "bare", env: {} },
    };
    const listed = listSettings({ mcpServers }, new Map()).filter(({ name }) => name.startsWith("mcpServers"));
    expect(
      listed.flatMap(({ name, value, valueText }) => (valueText === undefined ? [] : [[name, value, valueText]])),
    ).toEqual([
      ['mcpServers["hub"].env', null, "set: HUB_TOKEN"],
      ['mcpServers["bare"].env', null, "none"],
      ['mcpServers["web"].headers', null, "set: Authorization"],
    ]);
    expect(formatSettings(listed)).not.toMatch(/any/);
  });
});

describe("schema", () => {
  interface Schema {
    readonly description?: string;
    readonly default?: unknown;
    readonly enum?: readonly unknown[];
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly additionalProperties?: Schema | false;
    readonly propertyNames?: Schema;
  }

  test("SET11 the schema has every setting with its description, and nothing else", () => {
    expect(namesIn(buildSettingsSchema()).filter((name) => name !== "$schema")).toEqual(
      settingTable.map(({ name }) => name),
    );
    for (const { name, description } of settingTable) expect(schemaAt(name)?.description).toBe(description);
  });

  test("SET11 the values and defaults in the schema are valid settings", () => {
    for (const { name, kind } of settingTable) {
      const { enum: words = [], default: held } = schemaAt(name) ?? {};
      for (const word of words) expect(kind.isValid(word), `${name} ${word}`).toBe(true);
      if (held !== undefined) expect(kind.isValid(held), name).toBe(true);
    }
  });

  test("SET11 the schema checks the model names that are keys of an object", () => {
    expect(schemaAt("compaction.modelOverrides")?.propertyNames).toEqual({ type: "string", pattern: "^[^/]+/." });
    expect(buildSettingsSchema()).toMatchObject({ additionalProperties: false });
  });

  test("SET10 the list has every setting, and of model overrides those that are set", () => {
    const choices = { thinking: "high", compaction: { modelOverrides: { "a/b": { reserveTokens: 1 } } } } as const;
    const own = 'compaction.modelOverrides["a/b"].reserveTokens';
    const listed = listSettings(
      choices,
      new Map([
        ["thinking", "--thinking"],
        [own, "s.json"],
      ]),
    );
    const names = settingTable.filter(({ name }) => !name.includes("*")).map(({ name }) => name);
    expect(listed.map(({ name }) => name).filter((name) => name !== own)).toEqual(names);
    expect(listed.find(({ name }) => name === own)).toMatchObject({ value: 1, source: "s.json" });
    const lines = formatSettings(listed).split("\n");
    expect(lines.find((line) => line.startsWith("thinking "))).toMatch(/^thinking +"high" {2}← --thinking$/);
    expect(lines.find((line) => line.startsWith("model "))).toMatch(
      /^model +\(the default model of the first provider with a key\)$/,
    );
  });

  test("SET2 names such as constructor and __proto__ are not settings", () => {
    for (const path of [["constructor"], ["__proto__"], ["compaction"], ["compaction", "*"], []])
      expect(validateSetting(path, "x")).toBe("is not a setting");
  });

  function schemaAt(name: string): Schema | undefined {
    const whole: Schema = buildSettingsSchema();
    return name
      .split(".")
      .reduce<Schema | undefined>(
        (schema, part) => (part === "*" ? schema?.additionalProperties || undefined : schema?.properties?.[part]),
        whole,
      );
  }

  function namesIn({ properties = {}, additionalProperties }: Schema, above = ""): readonly string[] {
    const inner = Object.entries(properties).flatMap(([name, schema]) => namesIn(schema, `${above}${name}.`));
    const any = additionalProperties ? namesIn(additionalProperties, `${above}*.`) : [];
    return inner.length + any.length > 0 ? [...inner, ...any] : [above.slice(0, -1)];
  }
});
