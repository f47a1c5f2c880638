import { setFlagsFromString } from 'node:v8'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import './scripts/build-data.mjs'

// Most code of a unit test runs a few times only, and most objects live as long as one test:
// optimizing the one and copying the others took half of the time of a run. Applies to threads, so
// only to the unit tests.
setFlagsFromString('--interrupt-budget=600000')
setFlagsFromString('--min-semi-space-size=64')
setFlagsFromString('--max-semi-space-size=64')

const source = (path: string) => new URL(path, import.meta.url).pathname

/** Tests run on the sources of the packages, so nothing has to be built for them. */
const alias = [
  { find: /^@mailgrade\/doh$/, replacement: source('packages/doh/src/index.ts') },
  { find: /^@mailgrade\/doh\/(dns|zone)$/, replacement: source('packages/doh/src/$1.ts') },
  { find: /^@mailgrade\/core$/, replacement: source('packages/core/src/index.ts') },
  { find: /^@mailgrade\/core\/planning$/, replacement: source('packages/core/src/planning.ts') },
  {
    find: /^@mailgrade\/dmarc-reports$/,
    replacement: source('packages/dmarc-reports/src/index.ts'),
  },
  { find: /^@mailgrade\/operations\/(.*)$/, replacement: source('packages/operations/src/$1.ts') },
  { find: /^@mailgrade\/testing\/(.*)$/, replacement: source('packages/testing/src/$1.ts') },
  { find: /^mailgrade$/, replacement: source('packages/cli/src/index.ts') },
]

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

type ProjectTest = NonNullable<TestProjectInlineConfiguration['test']>

/** A busy machine must not fail a test: only one that hangs takes longer than this. */
const PATIENCE = {
  testTimeout: 600_000,
  hookTimeout: 600_000,
  expect: { poll: { timeout: 150_000 } },
}

/** Judges time, throughput or memory, so it runs every night and not before a change lands. */
const NIGHTLY = '**/*.nightly.test.ts'

function project(test: ProjectTest): TestProjectInlineConfiguration {
  const exclude = [...(test.exclude ?? []), NIGHTLY]
  return { resolve: { alias }, test: { ...PATIENCE, ...test, exclude } }
}

function nightlyProject(test: ProjectTest): TestProjectInlineConfiguration {
  return { resolve: { alias }, test: { ...PATIENCE, ...test, globalSetup: BUILD } }
}

export default defineConfig({
  test: {
    // Every suite runs on the same sources: the first one that needs a module compiles it.
    experimental: { fsModuleCache: true },
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
        exclude: ['**/*.service.test.ts'],
        pool: 'threads',
        isolate: false,
        setupFiles: PROPERTIES,
      }),
      // Starts processes, chains and scripts. One process for all files of a worker: most of a run
      // would be loading the service and the chain again for each.
      project({
        name: 'service',
        include: [
          'packages/*/src/**/*.service.test.ts',
          'packages/server/test/service/**/*.test.ts',
          'scripts/*.test.ts',
        ],
        globalSetup: BUILD,
        isolate: false,
      }),
      // Installs the packed package in an empty project, with npm, and fetches the sources of lists.
      project({
        name: 'packages',
        include: ['packages/cli/test/*.test.ts', 'packages/core/test/lists/*.test.ts'],
        globalSetup: BUILD,
      }),
      // The command line as people use it. Installs packages with npm, and other Nodes if NODE_VERSIONS
      // names any; needs BIND and shells from Debian.
      project({
        name: 'cli',
        include: ['packages/cli/test/*/*.test.ts'],
        globalSetup: BUILD,
        isolate: false,
      }),
      // Needs BIND, Unbound and dnsdist from Debian.
      project({
        name: 'resolvers',
        include: ['packages/*/test/resolvers/*.test.ts'],
        setupFiles: PROPERTIES,
        isolate: false,
      }),
      // Needs pyspf, Mail::SPF, dmarc-cat and Mail::DMARC from Debian. Fetches mailauth with npm.
      project({
        name: 'oracles',
        include: ['packages/*/test/oracles/*.test.ts'],
        setupFiles: PROPERTIES,
        isolate: false,
      }),
      // Fetches the suite and a Node that runs it from the npm registry.
      project({
        name: 'conformance',
        include: ['packages/server/test/conformance/*.test.ts'],
        globalSetup: [BUILD, INSTALL_SUITE],
        isolate: false,
      }),
      // Needs redis-server from Debian.
      project({
        name: 'stores',
        include: ['packages/server/test/stores/*.test.ts'],
        isolate: false,
      }),
      // Installs the packages of the image, with npm.
      project({
        name: 'image',
        include: ['packages/server/test/deploy/image.test.ts'],
        globalSetup: BUILD,
      }),
      // Needs nginx, Caddy, Prometheus, Redis and Compose from Debian.
      project({
        name: 'deploy',
        include: ['packages/server/test/deploy/*.test.ts'],
        exclude: ['packages/server/test/deploy/image.test.ts'],
        globalSetup: BUILD,
        isolate: false,
      }),
      // Judges memory under load.
      nightlyProject({
        name: 'nightly',
        include: ['packages/*/{src,test}/**/*.nightly.test.ts'],
        exclude: ['packages/server/test/production/*'],
        fileParallelism: false,
      }),
      // Needs Redis, nginx and BIND from Debian.
      nightlyProject({
        name: 'production',
        include: ['packages/server/test/production/*.nightly.test.ts'],
        exclude: ['packages/server/test/production/soak.nightly.test.ts'],
      }),
      // Needs BIND; takes as long as SOAK_SECONDS says, 300 by default.
      nightlyProject({
        name: 'soak',
        include: ['packages/server/test/production/soak.nightly.test.ts'],
      }),
      // Needs Redis and BIND; takes as long as STORM_PAYMENTS says, 100 for each of three variants by default.
      project({
        name: 'storm',
        include: ['packages/server/test/storm/*.test.ts'],
        globalSetup: BUILD,
      }),
      // Sends as many requests as FUZZ_REQUESTS says, 2000 to each of two services by default.
      project({
        name: 'fuzz',
        include: ['packages/server/test/fuzz/*.test.ts'],
        globalSetup: BUILD,
      }),
      // Needs Chromium from Debian.
      project({
        name: 'browser',
        include: ['packages/server/test/browser/*.test.ts'],
        globalSetup: [BUILD, 'packages/server/test/browser/start-sandbox.ts'],
        isolate: false,
      }),
      // Fetches a linter, a registry's reader and a client generator from the npm registry.
      project({
        name: 'registries',
        include: ['packages/server/test/registries/*.test.ts'],
        globalSetup: [BUILD, INSTALL_SUITE],
        isolate: false,
      }),
    ],
  },
})
