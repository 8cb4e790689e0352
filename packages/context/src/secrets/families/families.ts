/** All families of secrets that are known by their shape; where two fit, the earlier counts. */

import type { Family } from "../family.ts";
import { carried } from "./carried.ts";
import { clouds } from "./clouds.ts";
import { codeHosts } from "./code-hosts.ts";
import { commerce } from "./commerce.ts";
import { keepers } from "./keepers.ts";
import { messages } from "./messages.ts";
import { models } from "./models.ts";
import { offices } from "./offices.ts";

export const families: readonly Family[] = [
  ...codeHosts,
  ...clouds,
  ...models,
  ...messages,
  ...commerce,
  ...offices,
  ...keepers,
  ...carried,
];
