/** Re-exports all of `@pith/context/store`, for extensions only. */

export * from "@pith/context/store";
