/** The first start of all, from the packed tarball, with a server of models on this machine and no key at all. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expectThat, type Scenario } from "../scenario.ts";
import { chooseLocalModel, onFirstStart } from "./first-start.ts";

export const localFound: Scenario = {
  name: "first-start-local",
  says: "a model on this machine is found and offered first, and no key is asked for",
  run: async (keep) => {
    const server = { port: 11434, local: { kind: "ollama", model: "qwen3", window: 32_768 } } as const;
    return await onFirstStart(keep, { isKeyless: true, server }, async (terminal, workspace) => {
      await chooseLocalModel(terminal, "qwen3:latest");
      await terminal.waitFor("Using ollama/qwen3:latest on this machine (no API key needed)");
      const settings = JSON.parse(readFileSync(join(workspace.home, "settings.json"), "utf8"));
      expectThat(settings.model === "ollama/qwen3:latest", "the next start would ask again");
      expectThat(!existsSync(join(workspace.home, "keys.json")), "a key was kept");
    });
  },
};
