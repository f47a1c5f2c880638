/** This version has swc read no TSX, and the next one needs Node 22. */
const swc = require('@swc/core')
const { parseFileSync } = swc
swc.parseFileSync = (file, options) =>
  parseFileSync(file, { ...options, tsx: file.endsWith('.tsx') })

/** The arrows of the floor plan: what each folder of `src` may import. */
const mayImport = {
  dns: [],
  names: [],
  catalog: [],
  store: [],
  limits: ['store'],
  checks: ['dns', 'names', 'catalog'],
  reports: ['checks', 'dns', 'names', 'catalog'],
  operations: ['reports', 'checks', 'dns', 'names', 'catalog'],
  payments: ['operations', 'store'],
  http: ['operations', 'payments', 'limits'],
  mcp: ['operations', 'payments', 'limits'],
  discovery: ['operations', 'payments', 'limits'],
  // Shows reports as pages, so it knows what is in them.
  web: ['operations', 'payments', 'reports', 'checks', 'names', 'catalog'],
  sandbox: ['payments'],
  metrics: [],
  // Goes around the parts, so it knows what they look like.
  tracing: ['http', 'payments', 'operations', 'dns'],
}

const arrows = Object.entries(mayImport).map(([folder, allowed]) => ({
  name: `${folder}-imports-only-${['itself', ...allowed].join('-')}`,
  severity: 'error',
  from: { path: `^src/${folder}/`, pathNot: '\\.test\\.ts$' },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
}))

module.exports = {
  forbidden: [
    ...arrows,
    {
      name: 'above-dns-only-the-port',
      comment: 'How a question is asked is the business of dns/ alone; only the wiring knows it.',
      severity: 'error',
      from: { path: '^src/(checks|reports)/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/dns/', pathNot: '^src/dns/dns\\.ts$' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'tests-stay-outside',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { path: '(^test/|^bench/|\\.test\\.ts$)' },
    },
    {
      name: 'sandbox-by-need-only',
      comment: 'Where real money is taken, nothing of the sandbox is loaded.',
      severity: 'error',
      from: { path: '^src/', pathNot: '(^src/sandbox/|\\.test\\.ts$)' },
      to: { path: '^src/sandbox/', dynamic: false },
    },
    {
      name: 'no-development-packages-in-the-product',
      severity: 'error',
      from: { path: '^src/', pathNot: '(^src/sandbox/chain/|\\.test\\.ts$)' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
}
