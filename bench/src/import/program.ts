/** Sends one request to a model through `@pith/models`. The suite bundles and starts this program. */

import { openModel } from "@pith/models";

const [address, text = ""] = process.argv.slice(2);
const opened = await openModel({
  provider: "anthropic",
  model: "claude-sonnet-4-5",
  baseUrl: `${address}/v1`,
  apiKey: "program",
});
if (opened.type !== "opened") throw new Error(opened.message);
const request = {
  system: [],
  tools: [],
  messages: [{ role: "user", content: text, timestamp: 0 }],
  thinking: "off",
  toolChoice: "auto",
  cacheMarks: [],
} as const;
for await (const event of opened.model.stream(request, {})) {
  if (event.type === "text-delta") process.stdout.write(event.text);
}
