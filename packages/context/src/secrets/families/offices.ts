/** Tokens of what people plan, draw and watch their work with. */

import type { Family } from "../family.ts";

export const offices: readonly Family[] = [
  {
    id: "linear",
    name: "Linear key",
    needles: ["lin_api_", "lin_oauth_"],
    pattern: "lin_(?:api|oauth)_[A-Za-z0-9]{40,}",
  },
  { id: "notion", name: "Notion token", needles: ["ntn_"], pattern: "ntn_[A-Za-z0-9]{40,}" },
  {
    id: "airtable",
    name: "Airtable token",
    needles: ["pat"],
    pattern: "pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}",
  },
  { id: "figma", name: "Figma token", needles: ["figd_"], pattern: "figd_[\\w-]{40,}" },
  { id: "postman", name: "Postman key", needles: ["PMAK-"], pattern: "PMAK-[0-9a-f]{24}-[0-9a-f]{34}" },
  { id: "typeform", name: "Typeform token", needles: ["tfp_"], pattern: "tfp_[\\w-]{40,}" },
  { id: "contentful", name: "Contentful token", needles: ["CFPAT-"], pattern: "CFPAT-[\\w-]{43}" },
  {
    id: "grafana",
    name: "Grafana token",
    needles: ["glsa_", "glc_eyJ"],
    pattern: "gl(?:sa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|c_eyJ[\\w+/]{60,600}={0,2})",
  },
  { id: "newrelic", name: "New Relic key", needles: ["NRAK-", "NRII-"], pattern: "NR(?:AK|II)-[\\w-]{27,}" },
  {
    id: "sentry",
    name: "Sentry token",
    needles: ["sntrys_eyJ", "sntryu_"],
    pattern: "sntry(?:s_eyJ[\\w+/]{40,600}={0,2}_[\\w+/]{40,600}|u_[0-9a-f]{64})",
  },
  {
    id: "dynatrace",
    name: "Dynatrace token",
    needles: ["dt0c01.", "dt0s01."],
    pattern: "dt0[cs]01\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}",
  },
  { id: "posthog", name: "PostHog key", needles: ["phx_", "phs_"], pattern: "ph[xs]_[A-Za-z0-9]{40,}" },
];
