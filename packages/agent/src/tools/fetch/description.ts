/** What the model is told of the tool. */

export const description: string =
  "Fetch a page of the public web: HTML comes as Markdown, other text as it is. Long pages come in parts; go on with offset.";

export const parameters: unknown = {
  type: "object",
  properties: {
    url: { type: "string", description: "The whole URL, with https://" },
    offset: { type: "integer", minimum: 0, description: "The character to go on from" },
  },
  required: ["url"],
};
