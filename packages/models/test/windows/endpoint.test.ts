/** Endpoints: their names in the memory, and which of them are one's own. */

import { expect, test } from "vitest";
import { endpointKey, isLocal } from "../../src/windows/endpoint.ts";

test("SEE10 the name of an endpoint holds no secret and no difference that makes none", () => {
  const key = "http://127.0.0.1:11434/v1 qwen3:8b";
  expect(endpointKey("http://127.0.0.1:11434/v1", "qwen3:8b")).toBe(key);
  expect(endpointKey("http://me:secret@127.0.0.1:11434/v1/?key=secret#secret", "qwen3:8b")).toBe(key);
  expect(endpointKey("me:secret@box/v1?key=secret", "qwen3:8b")).toBe("box/v1 qwen3:8b");
});

test("SEE10 two providers without an address are two places", () => {
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

test("SEE5 loopback, private addresses and names without a domain are one's own", () => {
  expect(own.filter((url) => !isLocal(url))).toEqual([]);
  expect(others.filter((url) => isLocal(url))).toEqual([]);
});
