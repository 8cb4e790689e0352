/** The settings of servers of tools: each says under its own name how it is started or reached. No project ever says it. */

import { address, type Kind, text, yesOrNo } from "./kind.ts";
import type { Setting } from "./setting.ts";

const serverName: Kind = {
  fits: (value) => typeof value === "string" && /^[a-z\d][\w-]{0,39}$/i.test(value),
  write: "a name of letters, digits, - and _, such as github",
  schema: { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$" },
};

const words: Kind = {
  fits: (value) => Array.isArray(value) && value.every((word) => typeof word === "string"),
  write: 'a list of texts, such as ["-y", "some-server"]',
  schema: { type: "array", items: { type: "string" } },
};

function textsByName(write: string): Kind {
  return {
    fits: (value) =>
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((each) => typeof each === "string"),
    write,
    schema: { type: "object", patternProperties: { "": { type: "string" } } },
  };
}

const rows: readonly Pick<Setting, "name" | "kind" | "fallback" | "says" | "isHidden">[] = [
  { name: "command", kind: text, fallback: { words: "none" }, says: "The program that is the server." },
  { name: "args", kind: words, fallback: { value: [] }, says: "What the program is started with." },
  {
    name: "env",
    kind: textsByName('names with texts, such as { "REGION": "eu" }'),
    fallback: { value: {} },
    says: "Variables for the program; of yours it gets only a few, such as `PATH` and `HOME`, and never a key.",
    isHidden: true,
  },
  {
    name: "url",
    kind: address,
    fallback: { words: "none" },
    says: "Where the server is reached, if it is no program; with https, or on this machine.",
  },
  {
    name: "headers",
    kind: textsByName('names with texts, such as { "X-Team": "docs" }'),
    fallback: { value: {} },
    says: "Headers of every request to `url`.",
    isHidden: true,
  },
  { name: "enabled", kind: yesOrNo, fallback: { value: true }, says: "Whether the server is there." },
];

export const serverTable: readonly Setting[] = rows.map((row) => ({
  ...row,
  name: `mcpServers.*.${row.name}`,
  names: serverName,
  project: "never",
}));
