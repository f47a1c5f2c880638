/**
 * This version has swc read no TSX, and the next one needs Node 22. Imports of types leave nothing
 * behind at run time, so they may point anywhere in a package.
 */
const swc = require('@swc/core')
const { parseFileSync } = swc
swc.parseFileSync = (file, options) => {
  const module = parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') })
  return { ...module, body: module.body.filter(({ typeOnly }) => !typeOnly) }
}

const TEST = '(\\.test\\.ts$|^packages/[a-z-]+/test/|^packages/testing/|^bench/|^scripts/)'

/** What each package may import from the others: entry points only. */
const packages = {
  doh: [],
  core: ['doh/src/dns\\.ts'],
  'dmarc-reports': ['core/src/(index|planning)\\.ts'],
  cli: [
    'doh/src/(index|dns|zone)\\.ts',
    'core/src/(index|planning)\\.ts',
    'dmarc-reports/src/index\\.ts',
    'operations/src/',
  ],
  operations: ['doh/src/dns\\.ts', 'core/src/(index|planning)\\.ts'],
  server: ['doh/src/(index|dns|zone)\\.ts', 'core/src/(index|planning)\\.ts', 'operations/src/'],
  testing: ['doh/src/(index|dns|zone)\\.ts'],
}

/** What each folder may import from its own package, besides itself. */
const folders = {
  core: {
    names: ['read-data.ts'],
    catalog: ['read-data.ts'],
    checks: ['names', 'catalog'],
    streams: ['checks', 'names', 'catalog'],
    rollout: ['checks', 'names', 'catalog'],
    reports: ['streams', 'rollout', 'checks', 'names', 'catalog'],
    describe: ['reports', 'streams', 'rollout', 'checks', 'names', 'catalog'],
  },
  server: {
    state: [],
    payments: ['state', 'content'],
    http: ['payments', 'state'],
    mcp: ['payments', 'state'],
    content: [],
    discovery: ['payments', 'state', 'content'],
    web: ['payments', 'content', 'server-files.ts'],
    sandbox: ['payments'],
    demo: ['discovery', 'http', 'state', 'server-files.ts'],
    telemetry: ['http', 'payments', 'app.ts', 'config.ts'],
    routes: ['payments', 'state', 'http', 'mcp', 'discovery', 'web'],
  },
}

const packageRules = Object.entries(packages).flatMap(([name, allowed]) => [
  {
    name: `${name}-imports-entry-points`,
    severity: 'error',
    from: { path: `^packages/${name}/`, pathNot: TEST },
    to: {
      path: '^packages/',
      pathNot: [`^packages/${name}/`, ...allowed.map((path) => `^packages/${path}`)],
    },
  },
  {
    name: `tests-of-${name}-import-entry-points`,
    comment: 'A test may look inside its own package; of the others it sees what users see.',
    severity: 'error',
    from: { path: [`^packages/${name}/test/`, `^packages/${name}/src/.*\\.test\\.ts$`] },
    to: {
      path: '^packages/',
      pathNot: [
        `^packages/${name}/`,
        '^packages/(operations|testing)/src/',
        '^packages/[a-z-]+/src/(index|planning|dns|zone)\\.ts$',
      ],
    },
  },
])

const folderRules = Object.entries(folders).flatMap(([name, allowedBy]) =>
  Object.entries(allowedBy).map(([folder, allowed]) => ({
    name: `${name}-${folder}-imports-only-${['itself', ...allowed].join('-')}`,
    severity: 'error',
    from: { path: `^packages/${name}/src/${folder}/`, pathNot: '\\.test\\.ts$' },
    to: {
      path: `^packages/${name}/`,
      pathNot: [folder, ...allowed].map((path) => `^packages/${name}/src/${path}(/|$)`),
    },
  })),
)

module.exports = {
  forbidden: [
    ...packageRules,
    ...folderRules,
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'product-imports-no-tests',
      severity: 'error',
      from: { path: '^packages/', pathNot: TEST },
      to: { path: TEST },
    },
    {
      name: 'sandbox-loaded-on-demand',
      comment: 'Where real money is taken, nothing of the sandbox is loaded.',
      severity: 'error',
      from: {
        path: '^packages/server/src/',
        pathNot: '(^packages/server/src/sandbox/|\\.test\\.ts$)',
      },
      to: { path: '^packages/server/src/sandbox/', dynamic: false },
    },
    {
      name: 'mcp-loaded-on-demand',
      comment: 'The other commands start without the SDK and the schemas.',
      severity: 'error',
      from: { path: '^packages/cli/src/', pathNot: '^packages/cli/src/mcp/' },
      to: { path: '^packages/(cli/src/mcp|operations)/', dynamic: false },
    },
    ...[{ dependencyTypes: ['core'] }, { path: '/yauzl/' }].map((to) => ({
      name: 'node-only-in-node-formats',
      comment: 'A browser build replaces that file; the rest runs in both.',
      severity: 'error',
      from: {
        path: '^packages/dmarc-reports/src/',
        pathNot: '(\\.test\\.ts|/node-formats\\.ts)$',
      },
      to,
    })),
    {
      name: 'only-declared-dependencies',
      comment:
        'Bundled packages are dependencies for development: who installs a bundle needs none.',
      severity: 'error',
      from: {
        path: '^packages/',
        pathNot: `${TEST}|^packages/(server/src/sandbox/chain|[a-z-]+/scripts)/`,
      },
      to: {
        dependencyTypes: ['npm-no-pkg', 'npm-unknown'],
        dependencyTypesNot: ['npm-peer'],
      },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/(build|dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
}
