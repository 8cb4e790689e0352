/** Tests context-window/choose-window.ts: endpoints and the choice of the window. */

import { describe, expect, test } from "vitest";
import { chooseContextWindow, endpointKey, isLocal } from "../../src/context-window/choose-window.ts";

describe("the key of an endpoint", () => {
  test("SEE10 contains no secrets, and is equal for equal endpoints", () => {
    const key = "http://127.0.0.1:11434/v1 qwen3:8b";
    expect(endpointKey("http://127.0.0.1:11434/v1", "qwen3:8b")).toBe(key);
    expect(endpointKey("http://me:secret@127.0.0.1:11434/v1/?key=secret#secret", "qwen3:8b")).toBe(key);
    expect(endpointKey("me:secret@box/v1?key=secret", "qwen3:8b")).toBe("box/v1 qwen3:8b");
  });

  test("SEE10 differs for two providers without a base URL", () => {
    expect(endpointKey("openai", "gpt-4.1")).toBe("openai gpt-4.1");
    expect(endpointKey("azure", "gpt-4.1")).toBe("azure gpt-4.1");
    expect(endpointKey("localhost:11434/v1", "gpt-4.1")).toBe("localhost:11434/v1 gpt-4.1");
  });

  const own = [
    ["http://localhost:1234/v1", "http://127.0.0.1", "http://127.8.9.1", "http://[::1]:8080", "http://ollama:11434"],
    ["http://10.1.2.3", "http://172.16.0.1", "http://172.31.9.9", "http://192.168.1.5", "http://169.254.1.1"],
    ["http://100.64.0.1", "http://box.local", "http://host.docker.internal", "http://[fd00::1]", "http://[fe80::1]"],
  ].flat();
  const others = [
    ["https://api.openai.com/v1", "http://11.0.0.1", "http://172.32.0.1", "http://192.169.0.1", "http://100.128.0.1"],
    ["http://127.0.0.1.evil.com", "http://localhost.evil.com", "http://[2001:db8::1]", "no url", ""],
  ].flat();

  test("SEE5 is local for loopback and private addresses and for names without a domain", () => {
    expect(own.filter((url) => !isLocal(url))).toEqual([]);
    expect(others.filter((url) => isLocal(url))).toEqual([]);
  });
});

describe("context window", () => {
  const loaded = (window: number) => ({ window, source: "loaded" }) as const;
  const assumed = (window: number) => ({ window, source: "assumed" }) as const;

  test("SEE1 is the smallest of setting, served and learned, with its source", () => {
    const parts = { setting: 64_000, served: loaded(32_768), learned: 40_000, catalogueWindow: 200_000 };
    expect(chooseContextWindow(parts)).toEqual({ tokens: 32_768, source: "served" });
    expect(chooseContextWindow({ ...parts, learned: 8_000 })).toEqual({ tokens: 8_000, source: "learned" });
    expect(chooseContextWindow({ ...parts, setting: 4_000 })).toEqual({ tokens: 4_000, source: "setting" });
  });

  test("SEE1 is the catalogue's figure only without any other", () => {
    expect(chooseContextWindow({ catalogueWindow: 128_000 })).toEqual({ tokens: 128_000, source: "catalogue" });
    expect(chooseContextWindow({ setting: 1_000_000, catalogueWindow: 128_000 })).toEqual({
      tokens: 1_000_000,
      source: "setting",
    });
    expect(chooseContextWindow({ served: loaded(262_144), catalogueWindow: 8_192 })).toEqual({
      tokens: 262_144,
      source: "served",
    });
  });

  test("SEE1 prefers a setting and a learned window to an assumption", () => {
    expect(chooseContextWindow({ served: assumed(8_192), catalogueWindow: 128_000 })).toEqual({
      tokens: 8_192,
      source: "assumed",
    });
    expect(chooseContextWindow({ served: assumed(8_192), setting: 32_000, catalogueWindow: 128_000 }).tokens).toBe(
      32_000,
    );
    expect(chooseContextWindow({ served: assumed(8_192), learned: 4_096, catalogueWindow: 128_000 }).tokens).toBe(
      4_096,
    );
  });

  test("SEE1 ignores invalid figures", () => {
    const odd = { setting: 0, served: loaded(Number.NaN), learned: -1, catalogueWindow: 128_000 };
    expect(chooseContextWindow(odd)).toEqual({ tokens: 128_000, source: "catalogue" });
    expect(chooseContextWindow({ served: null, catalogueWindow: 128_000 }).source).toBe("catalogue");
  });
});
