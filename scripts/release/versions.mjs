/** A release has one version, in several files. */
import { parse } from 'yaml'

const ACTION_GUIDE = 'docs/github-action.md'
const DEPLOYMENT = 'deploy/kubernetes/kustomization.yaml'

/** `[file, version]` for every file that names the version; `read` returns the text of a file. */
export function listVersions(read, packageFolders) {
  const manifests = ['.', ...packageFolders].map((folder) => `${folder}/package.json`)
  const jsonFiles = [...manifests.map((file) => file.replace('./', '')), 'server.json']
  return [
    ...jsonFiles.map((file) => [file, JSON.parse(read(file)).version]),
    ['action.yml', parse(read('action.yml')).inputs.version.default],
    ...[...read(ACTION_GUIDE).matchAll(/mailgrade@v(\S+)/g)].map(([, it]) => [ACTION_GUIDE, it]),
    [DEPLOYMENT, parse(read(DEPLOYMENT)).images[0].newTag],
    ['CHANGELOG.md', /^## \[(.+?)\]/m.exec(read('CHANGELOG.md'))?.[1]],
  ]
}

/** A sentence for each file, and for the tag, if there is one, that names another version. */
export function findMismatches(version, versions, tag) {
  const others = versions.filter(([, found]) => found !== version)
  const problems = others.map(([file, found]) => `${file} has ${found} instead of ${version}.`)
  if (tag && tag !== `v${version}`) problems.push(`The tag is ${tag} instead of v${version}.`)
  return problems
}
