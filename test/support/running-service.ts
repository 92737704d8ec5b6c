import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSettings } from '../../src/config/load.ts'
import type { Observe } from '../../src/observe/event.ts'
import type { ServiceOverrides } from '../../src/service/start-service.ts'
import { clusterEnvironment, newClusterName, onCluster, removeCluster } from './cluster-under-test.ts'
import { requireCompiled } from './compiled.ts'
import { usualEnvironment } from './server-process.ts'
import { startService } from './start-service.ts'

type Changes = ServiceOverrides & { readonly settings?: Readonly<Record<string, string>> }

export interface RunningService {
  readonly url: string
  readonly dataDirectory: string
  /** Stops the service and starts it again on the same folder and another port, with some parts and settings changed. */
  restart(changes?: Changes): Promise<RunningService>
  close(): Promise<void>
}

export type TestedEngine = 'embedded' | 'cluster'

/** A long wait for the first rows of an entity, for busy machines. Tests that apply to either engine do not check this delay. */
const slowMachineSettings = { embedded: {}, cluster: { 'limits.ingestWaitMs': '60000' } }

const compiledThread = new URL('../../dist/store-thread/worker-side/entry.js', import.meta.url)
const compiledSqlEntry = new URL('../../dist/sql-process/worker-side/entry.js', import.meta.url)

/**
 * Runs the whole service in this process, on a free port and its own folder, and on a cluster under its own name. Unless given, the engine is the one
 * that the tests run with. `settings` are flags by name.
 */
export async function runService(
  settings: Readonly<Record<string, string>> = {},
  {
    engine = onCluster ? 'cluster' : 'embedded',
    dataDirectory,
    clusterName = newClusterName(),
    observe = () => undefined,
    ...overrides
  }: ServiceOverrides & { engine?: TestedEngine; dataDirectory?: string; clusterName?: string; observe?: Observe } = {},
): Promise<RunningService> {
  requireCompiled()
  const directory = dataDirectory ?? (await mkdtemp(join(tmpdir(), 'tidemark-test-')))
  const flags = { port: '0', data: directory, ...slowMachineSettings[engine], ...settings }
  const environment = { ...usualEnvironment, ...(engine === 'cluster' ? clusterEnvironment(clusterName) : {}) }
  const loaded = loadSettings({ flags, environment, file: null })
  const service = await startService(loaded, observe, {
    threadUrl: compiledThread,
    sqlEntryUrl: compiledSqlEntry,
    ...overrides,
  })
  return {
    url: service.url,
    dataDirectory: directory,
    restart: async ({ settings: changed, ...changes } = {}) => {
      await service.close()
      return runService(
        { ...settings, ...changed },
        { engine, dataDirectory: directory, clusterName, observe, ...overrides, ...changes },
      )
    },
    close: async () => {
      await service.close()
      if (engine === 'cluster') await removeCluster(clusterName)
      await rm(directory, { recursive: true, force: true })
    },
  }
}
