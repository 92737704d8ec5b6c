// The projects behind the test commands of package.json. `npx vitest run --project unit src/model` runs some tests of one project.
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'

type Options = NonNullable<TestProjectInlineConfiguration['test']>

const minuteMs = 60_000

/** Tests that start a whole service in one process and use it as its clients do. */
const wholeService = [
  'test/acceptance/**/*.test.ts',
  'test/formats/formats.test.ts',
  'test/properties/over-http.test.ts',
  'src/http/idle-clients.test.ts',
]

/** Tests that do not belong to `unit`: they need other programs, or more time than `npm test` may take. */
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
      // The files of one worker share its modules: no test replaces one, and loading them again for each file took half of the CPU time.
      isolate: false,
      setupFiles: ['test/support/given-seed.ts'],
      // Long enough for a busy machine; a test that hangs fails.
      testTimeout: 2 * minuteMs,
      hookTimeout: minuteMs,
      ...options,
    },
  }
}

const memoryFolder = '/dev/shm'
const memoryBytesMin = 4 * 2 ** 30

/**
 * The folder for the unit tests' files: in memory where there is enough. The tests sync tens of thousands of times, which took most of their time on slow
 * disks. `faults` and `crash` test the effects of disks on the service.
 */
function scratchFolder(): string {
  if (!existsSync(memoryFolder)) return tmpdir()
  const { bavail, bsize } = statfsSync(memoryFolder)
  return bavail * bsize < memoryBytesMin ? tmpdir() : memoryFolder
}

/** The random tests. `npm test` runs only a part of their rounds. */
function randomTests(): string[] {
  return ['src', 'test']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`))
    .filter((path) => path.endsWith('.test.ts') && readFileSync(path, 'utf8').includes("/rounds.ts'"))
}

/** The tests of the whole service that apply to both engines. */
const acceptance =
  'ingestion pending own-rows deletions tags lifecycle repair check metadata queries refusals inherited-names edge-requests replace native sql sql-metadata druid-http copy metrics storage real-data influxql influxql-clients live mcp i3x i3x-subscriptions i3x-quality kept-hours'
/** The tests of the portal: the whole way through it, and all user journeys except those that need a data folder. */
const journeys = 'whole-way overview ingests push explore views deletions query metadata access'
/** The tests that a change must pass before it lands: each part separately, the scenarios through all of them, and a kill of each. */
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

/** Runs with a real Kafka, Druid and PostgreSQL, which are started if they are not running. */
const onCluster: Options = {
  env: { TIDEMARK_TEST_ENGINE: 'cluster', TIDEMARK_TEST_ROUNDS: rounds },
  globalSetup: ['test/cluster/global-setup.ts'],
  fileParallelism: false,
  hookTimeout: 5 * minuteMs,
}

export default defineConfig({
  test: {
    // Tests mostly wait for disks and processes, so there is one worker per core; the default leaves one core free.
    maxWorkers: '100%',
    projects: [
      project('unit', ['src/**/*.test.ts', 'portal/src/**/*.test.ts', 'test/**/*.test.ts'], {
        exclude: [...elsewhere, 'node_modules/**'],
        env: { TMPDIR: scratchFolder() },
      }),
      project('acceptance', wholeService, { env: { TMPDIR: scratchFolder() } }),
      project('faults', ['test/faults/**/*.test.ts'], { testTimeout: minuteMs }),
      // Starts a program for each command in the guides.
      project('docs', ['test/docs/guides.test.ts'], { testTimeout: 10 * minuteMs }),
      // Each test has a browser and a server, so they run one at a time, with timeouts for a slow machine.
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
      // Random queries of one machine and of Druid, and 2,400 relations between answers of the SQL engine, in about ten minutes.
      project('agreement', ['test/agreement/agreement.test.ts', 'test/sql-engine/*.test.ts'], {
        ...onCluster,
        env: {
          ...onCluster.env,
          TIDEMARK_AGREEMENT_QUERIES: process.env['TIDEMARK_AGREEMENT_QUERIES'] ?? '10000',
          TIDEMARK_TEST_ROUNDS: process.env['TIDEMARK_TEST_ROUNDS'] ?? '20',
        },
      }),
      // Installing its packages and creating its database takes some minutes.
      project('superset', ['test/superset/**/*.test.ts'], { hookTimeout: 30 * minuteMs }),
    ],
  },
})
