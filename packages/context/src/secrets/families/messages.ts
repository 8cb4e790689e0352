/** Tokens of those who carry messages. */

import type { Family } from "../family.ts";

/** What comes behind the two letters, which alone stand in too many words. */
const digits: readonly string[] = [..."0123456789abcdef"];

export const messages: readonly Family[] = [
  {
    id: "slack",
    name: "Slack token",
    needles: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-", "xoxc-", "xoxd-"],
    pattern: "(?:xox[abcdeprs](?:\\.xox[bp])?|xapp)-[\\w%-]{20,600}",
  },
  {
    id: "slackhook",
    name: "Slack webhook",
    needles: ["hooks.slack.com/"],
    pattern: "hooks\\.slack\\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,600})",
  },
  {
    id: "discordhook",
    name: "Discord webhook",
    needles: ["/api/webhooks/"],
    pattern: "/api/webhooks/\\d{16,20}/([\\w-]{40,})",
    isWithinWords: true,
  },
  {
    id: "telegram",
    name: "Telegram bot token",
    needles: [":AA"],
    pattern: "\\d{8,10}:AA[\\w-]{32,34}(?![\\w-])",
    back: { letters: /\d/, most: 10 },
  },
  {
    id: "twilio",
    name: "Twilio key",
    needles: digits.map((digit) => `SK${digit}`),
    pattern: "SK[0-9a-f]{32}(?![0-9A-Za-z])",
  },
  { id: "sendgrid", name: "SendGrid key", needles: ["SG."], pattern: "SG\\.[\\w-]{16,32}\\.[\\w-]{32,64}" },
  { id: "mailgun", name: "Mailgun key", needles: ["key-"], pattern: "key-[0-9a-f]{32}(?![0-9A-Za-z])" },
  {
    id: "mailchimp",
    name: "Mailchimp key",
    needles: ["-us"],
    pattern: "[0-9a-f]{32}-us\\d{1,2}(?![0-9A-Za-z])",
    back: { letters: /[0-9a-f]/, most: 32 },
  },
  {
    id: "brevo",
    name: "Brevo key",
    needles: ["xkeysib-", "xsmtpsib-"],
    pattern: "x(?:keysib|smtpsib)-[0-9a-f]{64}-[\\w]{16}",
  },
];
