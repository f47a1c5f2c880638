/**
 * The folders that the service reads. This file and the bundle in `dist/` are both one level below
 * the package, so the paths hold for both.
 */
export const PUBLIC_FOLDER = new URL('../public/', import.meta.url)
export const SHARE_FOLDER = new URL('../share/', import.meta.url)
export const ZONES_FOLDER = new URL('../zones/', import.meta.url)
export const DOCS_FOLDER = new URL('../../../docs/', import.meta.url)
