/** The manifest of the MCP bundle, which desktop apps install with a double click. */

const MAIN = 'dist/main.js'

/** From the package.json to publish and the operations; the icon is `favicon.svg` at 512 pixels. */
export function mcpbManifest(published, operations) {
  const { name, version, description, keywords, license, engines } = published
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Mailgrade',
    version,
    description,
    long_description:
      'Ask whether a domain’s email can be forged, and get the exact DNS records that fix it. The checks run on your computer and look up public DNS records over HTTPS. You don’t need an account, and nothing is sent to us.',
    author: { name: 'Mailgrade' },
    ...linksOf(published),
    icon: 'icon.png',
    server: {
      type: 'node',
      entry_point: MAIN,
      mcp_config: { command: 'node', args: [`\${__dirname}/${MAIN}`, 'mcp'] },
    },
    tools: operations
      .filter(({ tool }) => tool)
      .map(({ tool, summary }) => ({
        name: tool.name,
        description: `${summary}. ${tool.useWhen}`,
      })),
    keywords,
    license,
    // The resolvers see which domains are looked up.
    privacy_policies: [
      'https://developers.cloudflare.com/1.1.1.1/privacy/public-dns-resolver/',
      'https://developers.google.com/speed/public-dns/privacy',
    ],
    compatibility: {
      platforms: ['darwin', 'linux', 'win32'],
      runtimes: { node: engines.node },
    },
  }
}

function linksOf({ homepage, bugs, repository }) {
  if (!repository) return {}
  const url = repository.url.replace(/^git\+/, '')
  return { homepage, support: bugs.url, repository: { type: 'git', url } }
}
