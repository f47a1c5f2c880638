/** What npm and its pages show that depends on where the repository is. */

const FOLDER = 'packages/cli'

/** `owner/name`, or null if the repository is not on GitHub. */
export function findRepository(env, originUrl) {
  if (env.GITHUB_REPOSITORY) return env.GITHUB_REPOSITORY
  const path = /^(?:https:\/\/|(?:ssh:\/\/)?git@)github\.com[:/](.+?)(?:\.git)?\/?$/.exec(originUrl)
  return path?.[1] ?? null
}

/** The package.json to publish. What is only for development is left out. */
export function completeManifest({ devDependencies: _, ...manifest }, repository) {
  if (!repository) return manifest
  const home = `https://github.com/${repository}`
  return {
    ...manifest,
    homepage: `${home}#readme`,
    bugs: { url: `${home}/issues` },
    repository: { type: 'git', url: `git+${home}.git`, directory: FOLDER },
  }
}

/** Relative links lead to the files of this version, or become text if the repository is unknown. */
export function resolveLinks(markdown, repository, version) {
  return markdown.replaceAll(/\[([^\]]+)\]\((?![a-z]+:|#)([^)]+)\)/g, (_, text, link) =>
    repository
      ? `[${text}](${new URL(link, `https://github.com/${repository}/blob/v${version}/${FOLDER}/`)})`
      : text,
  )
}
