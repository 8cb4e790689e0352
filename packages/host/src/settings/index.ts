/** Defines the settings, and finds keys and secrets. */

export * from "./definitions.ts";
export * from "./fields.ts";
export * from "./home-files.ts";
export * from "./parse.ts";
export * from "./provider-keys.ts";
export * from "./secrets.ts";
export * from "./settings.ts";
export * from "./table.ts";
