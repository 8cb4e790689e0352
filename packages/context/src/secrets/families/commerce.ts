/** Keys of shops and of those who move money. */

import type { Family } from "../family.ts";

export const commerce: readonly Family[] = [
  {
    id: "stripe",
    name: "Stripe key",
    needles: ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
    pattern: "[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
  },
  {
    id: "stripehook",
    name: "webhook signing secret",
    needles: ["whsec_"],
    pattern: "whsec_[A-Za-z0-9+/]{24,600}={0,2}",
  },
  {
    id: "shopify",
    name: "Shopify token",
    needles: ["shpat_", "shpca_", "shppa_", "shpss_"],
    pattern: "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
  },
  { id: "square", name: "Square token", needles: ["sq0atp-", "sq0csp-"], pattern: "sq0(?:atp|csp)-[\\w-]{22,}" },
  {
    id: "braintree",
    name: "Braintree token",
    needles: ["access_token$production$", "access_token$sandbox$"],
    pattern: "access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}",
  },
  { id: "easypost", name: "EasyPost key", needles: ["EZAK", "EZTK"], pattern: "EZ[AT]K[A-Za-z0-9]{54}" },
];
