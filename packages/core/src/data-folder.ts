/** This file and the bundles that contain it are one level below a package with this folder. */
export const DATA_FOLDER = new URL('../data/', import.meta.url)
