// The projects of the test commands of package.json: `npx vitest run --project unit src/model` runs some tests of one.
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

type Options = NonNullable<TestProjectInlineConfiguration['test']>

const minuteMs = 60_000

/** The tests that start a whole service in one process and speak to it as its clients do. */
const wholeService = [
  'test/acceptance/**/*.test.ts',
  'test/formats/formats.test.ts',
  'test/properties/over-http.test.ts',
  'src/http/idle-clients.test.ts',
]

/** The tests of other projects than `unit`: they need programs, or more time than `npm test` may take. */
const elsewhere = [
  ...wholeService,
  'test/{crash,simulation,faults,cluster,e2e,superset,tools}/**',
  'test/client/packed.test.ts',
  'test/agreement/agreement.test.ts',
  'test/druid-http/real-druid.test.ts',
  'test/docs/guides.test.ts',
]

function project(name: string, include: readonly string[], options: Options = {}): TestProjectInlineConfiguration {
  return {
    test: {
      name,
      include: [...include],
      // The files of one worker share its modules: no test replaces one, and reading them anew for each file was half of the processors' time.
      isolate: false,
      setupFiles: ['test/support/given-seed.ts'],
      // A test that stands still fails; one on a busy machine does not.
      testTimeout: 2 * minuteMs,
      hookTimeout: minuteMs,
      ...options,
    },
  }
}

const memoryFolder = '/dev/shm'
const memoryBytesMin = 4 * 2 ** 30

/**
 * Where unit tests write: into memory where there is room. They sync tens of thousands of times, which took most of their time on slow disks. What disks do
 * to the service is for `faults` and `crash`.
 */
function scratchFolder(): string {
  if (!existsSync(memoryFolder)) return tmpdir()
  const { bavail, bsize } = statfsSync(memoryFolder)
  return bavail * bsize < memoryBytesMin ? tmpdir() : memoryFolder
}

/** The random tests of which `npm test` runs a part of the rounds. */
function randomTests(): string[] {
  return ['src', 'test']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("/rounds.ts'"))
}

/** Of the tests of the whole service, those that hold with either engine. */
const acceptance =
  'ingestion pending own-rows deletions tags lifecycle repair check metadata queries refusals inherited-names edge-requests replace native sql sql-metadata druid-http copy metrics storage real-data influxql influxql-clients live mcp i3x i3x-subscriptions i3x-quality kept-hours'
/** The portal: the whole way through it, and all journeys but those that need a data folder. */
const journeys = 'whole-way overview ingests push explore views deletions query metadata access'
/** What a change passes before it lands: each part by itself, the scenarios through all of them, and a kill of each. */
const shortCluster =
  'journal given-up-appends kept-topics postgres-catalog postgres-partitions supervisors added-fields shared-keys left-queries druid-sql service live deletions hours-answers kills'
const shortAcceptance = 'ingestion pending metrics replace sql sql-metadata'

const named = (folder: string, names: string): string => `test/${folder}/{${names.replaceAll(' ', ',')}}.test.ts`

const onBothEngines = [
  'test/properties/over-http.test.ts',
  'test/agreement/agreement.test.ts',
  'test/druid-http/real-druid.test.ts',
]

const clusterFiles =
  process.env['TIDEMARK_CLUSTER_SHORT'] === '1'
    ? [
        named('cluster', shortCluster),
        named('acceptance', shortAcceptance),
        named('e2e', 'access metadata'),
        ...onBothEngines,
      ]
    : [
        'test/cluster/**/*.test.ts',
        named('acceptance', acceptance),
        named('e2e', journeys),
        'test/faults/http-fuzz.test.ts',
        ...onBothEngines,
      ]

const rounds = process.env['TIDEMARK_TEST_ROUNDS'] ?? '1'

/** A real Kafka, Druid and PostgreSQL, which are started when they do not run. */
const onCluster: Options = {
  env: { TIDEMARK_TEST_ENGINE: 'cluster', TIDEMARK_TEST_ROUNDS: rounds },
  globalSetup: ['test/cluster/global-setup.ts'],
  fileParallelism: false,
  hookTimeout: 5 * minuteMs,
}

export default defineConfig({
  test: {
    // Much of the time is waiting for disks and processes: one worker a core, where the default leaves one core out.
    maxWorkers: '100%',
    projects: [
      project('unit', ['src/**/*.test.ts', 'portal/src/**/*.test.ts', 'test/**/*.test.ts'], {
        exclude: [...elsewhere, 'node_modules/**'],
        env: { TMPDIR: scratchFolder() },
      }),
      project('acceptance', wholeService, { env: { TMPDIR: scratchFolder() } }),
      project('faults', ['test/faults/**/*.test.ts'], { testTimeout: minuteMs }),
      // Starts a program for each command that the guides show.
      project('docs', ['test/docs/guides.test.ts'], { testTimeout: 10 * minuteMs }),
      // A browser and a server beside each test: one at a time, with the patience that a slow machine needs.
      project('e2e', ['test/e2e/**/*.test.ts'], {
        fileParallelism: false,
        testTimeout: 3 * minuteMs,
        hookTimeout: 2 * minuteMs,
      }),
      project('tools', ['test/tools/**/*.test.ts', 'test/client/packed.test.ts'], {
        globalSetup: ['test/tools/global-setup.ts'],
        hookTimeout: 10 * minuteMs,
      }),
      project('crash', ['test/crash/**/*.test.ts', 'test/simulation/**/*.test.ts', ...randomTests()], {
        testTimeout: 20 * minuteMs,
        env: {
          TIDEMARK_SIMULATION_HISTORIES: process.env['TIDEMARK_SIMULATION_HISTORIES'] ?? '2000',
          TIDEMARK_TEST_ROUNDS: rounds,
        },
      }),
      project('cluster', clusterFiles, onCluster),
      // Queries at random of one machine and of Druid, and 2,400 relations between answers of the SQL engine, in about ten minutes.
      project('agreement', ['test/agreement/agreement.test.ts', 'test/sql-engine/*.test.ts'], {
        ...onCluster,
        env: {
          ...onCluster.env,
          TIDEMARK_AGREEMENT_QUERIES: process.env['TIDEMARK_AGREEMENT_QUERIES'] ?? '10000',
          TIDEMARK_TEST_ROUNDS: process.env['TIDEMARK_TEST_ROUNDS'] ?? '20',
        },
      }),
      // Its packages are installed and its database is made, some minutes in all.
      project('superset', ['test/superset/**/*.test.ts'], { hookTimeout: 30 * minuteMs }),
    ],
  },
})
