import { setFlagsFromString } from 'node:v8'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Most code of a unit test runs a few times only: optimizing it took a third of the time of a run.
// Applies to threads, so only to the unit tests.
setFlagsFromString('--interrupt-budget=600000')

const source = (path: string) => new URL(path, import.meta.url).pathname

/** Tests run on the sources of the packages, so nothing has to be built for them. */
const alias = [
  { find: /^@mailgrade\/doh$/, replacement: source('packages/doh/src/index.ts') },
  { find: /^@mailgrade\/doh\/(dns|zone)$/, replacement: source('packages/doh/src/$1.ts') },
  { find: /^@mailgrade\/core$/, replacement: source('packages/core/src/index.ts') },
  { find: /^@mailgrade\/operations\/(.*)$/, replacement: source('packages/operations/src/$1.ts') },
  { find: /^@mailgrade\/testing\/(.*)$/, replacement: source('packages/testing/src/$1.ts') },
  { find: /^mailgrade$/, replacement: source('packages/cli/src/index.ts') },
]

/** Judges time or memory, so it runs every night and not with every change. */
const NIGHTLY = 'packages/*/{src,test}/**/*.nightly.test.ts'

const BUILD = 'packages/server/test/support/build-service.ts'
const INSTALL_SUITE = 'packages/server/test/support/install-suite.ts'

const PROPERTIES = 'packages/testing/src/property-seed.ts'

/**
 * The tests of the service come last. Rendering a page makes every promise of its thread slower for
 * good on Node 20 and 22, because the renderer uses AsyncLocalStorage.
 */
class ServiceLast extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const sorted = await super.sort(files)
    const isService = ({ moduleId }: TestSpecification) => moduleId.includes('/packages/server/')
    return [...sorted.filter((file) => !isService(file)), ...sorted.filter(isService)]
  }
}

function project(test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  return { resolve: { alias }, test: test ?? {} }
}

export default defineConfig({
  test: {
    sequence: { sequencer: ServiceLast },
    coverage: {
      provider: 'v8',
      include: ['packages/{doh,core}/src/**/*.ts'],
      exclude: ['**/*.test.ts'],
      reporter: ['json-summary'],
      thresholds: {
        'packages/doh/src/**': { lines: 95 },
        'packages/core/src/**': { lines: 95 },
      },
    },
    projects: [
      // One process for all files: most of a run would be loading modules again for each.
      project({
        name: 'unit',
        include: [
          'packages/*/src/**/*.test.ts',
          'packages/{doh,core}/test/*.test.ts',
          'packages/server/test/{discovery,docs,http,mcp,openapi,web}/*.test.ts',
          'scripts/release/*.test.ts',
        ],
        exclude: ['**/*.service.test.ts', NIGHTLY],
        pool: 'threads',
        isolate: false,
        setupFiles: PROPERTIES,
        // Far beyond any test: only one that hangs may end so, also on a busy machine.
        testTimeout: 120_000,
        hookTimeout: 120_000,
      }),
      // Measures time, so nothing may run beside it.
      project({
        name: 'nightly',
        include: [NIGHTLY],
        globalSetup: BUILD,
        testTimeout: 300_000,
        hookTimeout: 120_000,
        fileParallelism: false,
      }),
      // Starts processes, chains and scripts.
      project({
        name: 'service',
        include: [
          'packages/*/src/**/*.service.test.ts',
          'packages/server/test/service/**/*.test.ts',
          'scripts/*.test.ts',
        ],
        globalSetup: BUILD,
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
      // Installs the packed package in an empty project, with npm, and fetches the sources of lists.
      project({
        name: 'packages',
        include: ['packages/cli/test/*.test.ts', 'packages/core/test/lists/*.test.ts'],
        exclude: [NIGHTLY],
        testTimeout: 300_000,
        hookTimeout: 600_000,
        globalSetup: BUILD,
      }),
      // The command line as people use it. Installs packages with npm, and other Nodes if NODE_VERSIONS
      // names any; needs BIND, readers of aggregate reports and shells from Debian, which `.ci/run` installs.
      project({
        name: 'cli',
        include: ['packages/cli/test/*/*.test.ts'],
        exclude: [NIGHTLY],
        testTimeout: 300_000,
        hookTimeout: 600_000,
        globalSetup: BUILD,
      }),
      // Needs BIND, Unbound and dnsdist from Debian; `.ci/run` installs them.
      project({
        name: 'resolvers',
        include: ['packages/*/test/resolvers/*.test.ts'],
        setupFiles: PROPERTIES,
        hookTimeout: 30_000,
      }),
      // Needs pyspf and Mail::SPF from Debian; `.ci/run` installs them. Fetches mailauth with npm.
      project({
        name: 'oracles',
        include: ['packages/core/test/oracles/*.test.ts'],
        setupFiles: PROPERTIES,
        testTimeout: 300_000,
      }),
      // Fetches the suite and a Node that runs it from the npm registry.
      project({
        name: 'conformance',
        include: ['packages/server/test/conformance/*.test.ts'],
        globalSetup: [BUILD, INSTALL_SUITE],
        testTimeout: 120_000,
        hookTimeout: 30_000,
      }),
      // Needs redis-server from Debian; `.ci/run` installs it.
      project({
        name: 'stores',
        include: ['packages/server/test/stores/*.test.ts'],
        testTimeout: 60_000,
        hookTimeout: 30_000,
      }),
      // Installs the packages of the image, with npm.
      project({
        name: 'image',
        include: ['packages/server/test/deploy/image.test.ts'],
        globalSetup: BUILD,
        testTimeout: 60_000,
        hookTimeout: 600_000,
      }),
      // Needs nginx, Caddy, Prometheus, Redis and Compose from Debian; `.ci/run` installs them.
      project({
        name: 'deploy',
        include: ['packages/server/test/deploy/*.test.ts'],
        exclude: ['packages/server/test/deploy/image.test.ts'],
        globalSetup: BUILD,
        testTimeout: 60_000,
        hookTimeout: 60_000,
      }),
      // Needs Redis, nginx and BIND from Debian; `.ci/run` installs them.
      project({
        name: 'production',
        include: ['packages/server/test/production/*.test.ts'],
        exclude: ['packages/server/test/production/soak.test.ts'],
        globalSetup: BUILD,
        testTimeout: 120_000,
        hookTimeout: 90_000,
      }),
      // Needs BIND; takes as long as SOAK_SECONDS says, 300 by default.
      project({
        name: 'soak',
        include: ['packages/server/test/production/soak.test.ts'],
        globalSetup: BUILD,
        hookTimeout: 90_000,
      }),
      // Needs Redis and BIND; takes as long as STORM_PAYMENTS says, 60 by default.
      project({
        name: 'storm',
        include: ['packages/server/test/storm/*.test.ts'],
        globalSetup: BUILD,
        hookTimeout: 90_000,
      }),
      // Takes as long as FUZZ_SECONDS says, 70 by default.
      project({
        name: 'fuzz',
        include: ['packages/server/test/fuzz/*.test.ts'],
        globalSetup: BUILD,
        testTimeout: 60_000,
      }),
      // Needs Chromium from Debian; `.ci/run` installs it.
      project({
        name: 'browser',
        include: ['packages/server/test/browser/*.test.ts'],
        globalSetup: BUILD,
        testTimeout: 120_000,
        hookTimeout: 60_000,
      }),
      // Fetches a linter, a registry's reader and a client generator from the npm registry.
      project({
        name: 'registries',
        include: ['packages/server/test/registries/*.test.ts'],
        globalSetup: [BUILD, INSTALL_SUITE],
        testTimeout: 120_000,
        hookTimeout: 30_000,
      }),
    ],
  },
})
