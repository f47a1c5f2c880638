import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'test/*.test.ts',
            'test/{discovery,mcp,observe,openapi,payments,web}/*.test.ts',
          ],
          globalSetup: 'test/support/build.ts',
          // Some start processes and chains of their own, beside everything else on a small machine.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        // Needs BIND, Unbound and dnsdist from Debian; `.ci/run` installs them.
        test: {
          name: 'resolvers',
          include: ['test/resolvers/*.test.ts'],
          hookTimeout: 30_000,
        },
      },
      {
        // Needs pyspf and Mail::SPF from Debian; `.ci/run` installs them.
        test: {
          name: 'oracles',
          include: ['test/oracles/*.test.ts'],
          testTimeout: 300_000,
        },
      },
      {
        // Fetches the suite and a Node that runs it from the npm registry.
        test: {
          name: 'conformance',
          include: ['test/conformance/*.test.ts'],
          globalSetup: ['test/support/build.ts', 'test/conformance/install.ts'],
          testTimeout: 120_000,
          hookTimeout: 30_000,
        },
      },
      {
        // Needs redis-server from Debian; `.ci/run` installs it.
        test: {
          name: 'stores',
          include: ['test/stores/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 30_000,
        },
      },
      {
        // Needs nginx, Prometheus, Redis and Compose from Debian; `.ci/run` installs them.
        test: {
          name: 'deploy',
          include: ['test/deploy/*.test.ts'],
          globalSetup: 'test/support/build.ts',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Needs Redis, nginx and BIND from Debian; `.ci/run` installs them.
        test: {
          name: 'production',
          include: ['test/production/*.test.ts'],
          exclude: ['test/production/soak.test.ts'],
          globalSetup: 'test/support/build.ts',
          testTimeout: 120_000,
          hookTimeout: 90_000,
        },
      },
      {
        // Needs BIND; takes as long as SOAK_SECONDS says, 300 unless told otherwise.
        test: {
          name: 'soak',
          include: ['test/production/soak.test.ts'],
          globalSetup: 'test/support/build.ts',
          hookTimeout: 90_000,
        },
      },
      {
        // Takes as long as FUZZ_SECONDS says, 70 unless told otherwise.
        test: {
          name: 'fuzz',
          include: ['test/fuzz/*.test.ts'],
          globalSetup: 'test/support/build.ts',
          testTimeout: 60_000,
        },
      },
      {
        // Needs Chromium from Debian; `.ci/run` installs it.
        test: {
          name: 'browser',
          include: ['test/browser/*.test.ts'],
          globalSetup: 'test/support/build.ts',
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Fetches a linter, a registry's reader and a generator of clients from the npm registry.
        test: {
          name: 'registries',
          include: ['test/registries/*.test.ts'],
          globalSetup: ['test/support/build.ts', 'test/registries/install.ts'],
          testTimeout: 120_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
})
