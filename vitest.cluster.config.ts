import { defineConfig } from 'vitest/config'

/** Of the tests of the whole service, those that hold with either engine. */
const acceptance = [
  'ingestion',
  'pending',
  'own-rows',
  'tags',
  'lifecycle',
  'repair',
  'check',
  'metadata',
  'queries',
  'refusals',
  'inherited-names',
  'edge-requests',
  'replace',
  'native',
  'sql',
  'sql-metadata',
  'druid-http',
  'copy',
  'metrics',
  'storage',
  'real-data',
].join()

/** As above, of the tests of what is done to a service. */
const faults = 'test/faults/http-fuzz.test.ts'

/** The portal in a real Chromium: the whole way through it, and all journeys but those that need a data folder. */
const journeys = 'test/e2e/{whole-way,overview,ingests,push,explore,query,metadata,access}.test.ts'

/** Of the journeys, short ones that hardly wait for rows. */
const shortJourneys = 'test/e2e/{access,metadata}.test.ts'

/** Random histories, which a plain model answers as well. */
const properties = 'test/properties/over-http.test.ts'

/** 300 queries of one seed, of one machine and of Druid. */
const agreement = 'test/agreement/agreement.test.ts'

/** The requests that tools send, to one machine, to a cluster and to Druid itself. */
const druidHttp = 'test/druid-http/real-druid.test.ts'

/** What a change has to pass before it lands, in a few minutes: each part by itself, the scenarios through all of them, and a kill of each. */
const shortFiles = [
  'journal',
  'given-up-appends',
  'kept-topics',
  'postgres-catalog',
  'postgres-lanes',
  'supervisors',
  'added-fields',
  'shared-keys',
  'left-queries',
  'druid-sql',
  'service',
  'kills',
].join()
const isShort = process.env['TIDEMARK_CLUSTER_SHORT'] === '1'
const files = isShort
  ? [
      `test/cluster/{${shortFiles}}.test.ts`,
      'test/acceptance/{ingestion,pending,metrics,replace,sql,sql-metadata}.test.ts',
      properties,
      agreement,
      druidHttp,
      shortJourneys,
    ]
  : [
      'test/cluster/**/*.test.ts',
      `test/acceptance/{${acceptance}}.test.ts`,
      faults,
      journeys,
      properties,
      agreement,
      druidHttp,
    ]

/** Against a real Kafka, Druid and PostgreSQL, which are started when they do not run: `npm run test:cluster`. */
export default defineConfig({
  test: {
    include: files,
    env: { TIDEMARK_TEST_ENGINE: 'cluster', TIDEMARK_TEST_ROUNDS: process.env['TIDEMARK_TEST_ROUNDS'] ?? '1' },
    globalSetup: ['test/cluster/global-setup.ts'],
    fileParallelism: false,
    // The files of one worker share its modules, as in vitest.config.ts.
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
  },
})
