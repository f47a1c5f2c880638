/**
 * The packages whose code reaches users: what npm installs without development packages, and what is
 * bundled, which is a development dependency of the package with the bundle, or of one in it.
 */

/** The bundler and the parser of the data; they leave nothing behind in a bundle, as types do. */
const BUILD_TOOLS = ['rolldown', 'yaml']

/** Their paths in the lock file, without the packages of the workspace. */
export function findShipped(packages) {
  const found = new Set(Object.keys(packages).filter((path) => isOurs(path) || isInstalled(path)))
  for (const path of found) {
    for (const name of namesOf(packages[path], isOurs(path))) {
      const at = locate(path, name)
      if (packages[at] && !packages[at].link) found.add(at)
    }
  }
  return [...found].filter((path) => !isOurs(path))

  function isOurs(path) {
    return /^packages\/[^/]+$/.test(path) && path !== 'packages/testing'
  }

  function isInstalled(path) {
    const { dev, link } = packages[path]
    return path.includes('node_modules/') && !dev && !link
  }

  /** As Node looks for a package: in each folder upwards. */
  function locate(from, name) {
    for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
      const path = `${folder}${folder && '/'}node_modules/${name}`
      if (packages[path] || folder === '') return path
    }
  }
}

function namesOf({ dependencies, optionalDependencies, devDependencies }, isBundled) {
  const installed = { ...dependencies, ...optionalDependencies }
  const names = Object.keys({ ...installed, ...(isBundled && devDependencies) })
  return names.filter((name) => !name.startsWith('@types/') && !BUILD_TOOLS.includes(name))
}
