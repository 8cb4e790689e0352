/** Re-exports all of `@pith/context/search`, for extensions only. */

export * from "@pith/context/search";
