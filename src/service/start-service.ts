// The composition root: settings -> engine -> services -> server, by hand.
import { randomUUID } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { checkStart, listenFailure, ownPairFiles } from '../config/check-start.ts'
import type { Settings } from '../config/settings.ts'
import { readZoneFiles, timeZonesOf } from '../druid-time/zone-folder.ts'
import { useZoneFiles, zoneFilesInForce } from '../druid-time/zone-rules.ts'
import { ObservedConditions } from '../hooks/observed-conditions.ts'
import { FailedKeys } from '../http/failed-keys.ts'
import { InFlight } from '../http/in-flight.ts'
import { type Listening, listen } from '../http/listen.ts'
import { publicReading } from '../http/open-access.ts'
import { OwnCertificate } from '../http/own-certificate.ts'
import type { App } from '../http/route.ts'
import { buildServer } from '../http/server.ts'
import type { Services } from '../http/services.ts'
import { stopServer } from '../http/stop.ts'
import type { Disk } from '../lib/disk.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { repeat } from '../lib/repeat.ts'
import { SettingsError } from '../model/settings-error.ts'
import type { ObjectStore } from '../object-store/object-store.ts'
import { checkFailed } from '../observe/check-failed.ts'
import type { Reach } from '../observe/crash-point.ts'
import { combineSinks, type Observe } from '../observe/event.ts'
import { FailingWork } from '../observe/failing-work.ts'
import { Metrics } from '../observe/metrics.ts'
import { type ProcessUse, SelfFigures } from '../observe/self-figures.ts'
import type { openCluster } from './cluster/open-cluster.ts'
import { openEmbedded } from './open-embedded.ts'
import { openSelfHistory } from './open-self-history.ts'
import type { Closer } from './open-storage.ts'

/** Parts that a test may replace. */
export interface ServiceOverrides {
  readonly nowMs?: () => number
  readonly threadUrl?: URL
  readonly sqlEntryUrl?: URL
  readonly reach?: Reach
  /** The free bytes on the disk of the data folder. */
  readonly freeBytes?: (directory: string) => Promise<number>
  /** The disk of the journal and the idempotency keys; the store's thread has its own. */
  readonly disk?: Disk
  /** Wraps the store of the replica. */
  readonly wrapStore?: (store: ObjectStore) => ObjectStore
  /** The most pages of the catalog, in the main thread. */
  readonly catalogPagesMax?: number
}

export interface Service {
  /** The URL at which it listens. */
  readonly url: string
  /** The first admin key, if this start created one. It is shown only once. */
  readonly newAdminKey: string | null
  /**
   * Resolves when queries can be run, or when the start waits for something that only the operator can provide, which /readyz then describes. Rejects
   * with an Error that says what the operator must do, when the service must be started again; it is stopped by then.
   */
  readonly started: () => Promise<void>
  /**
   * Stops accepting requests, finishes those in flight within `server.shutdownMs` (sooner when `atOnce` is aborted), and closes all parts.
   */
  close(atOnce?: AbortSignal): Promise<void>
}

const compiledThread = new URL('../store-thread/worker-side/entry.js', import.meta.url)
const compiledSqlEntry = new URL('../sql-process/worker-side/entry.js', import.meta.url)

/**
 * Opens the engine that the settings name, and listens. Pushes are accepted, and /readyz responds, before the whole journal is read. Throws
 * an Error that says what the operator must do: when the data folder has another owner, is damaged or is newer, or when the address is
 * in use.
 */
export async function openService(
  settings: Settings,
  observer: Observe,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  const { parts, figures } = partsOf(settings, observer, overrides)
  const { observe } = parts
  const closers: Closer[] = []
  const close = closerOf(closers, settings.server.shutdownMs)
  await checkStart(settings)
  // Threads and processes that are started later use the same zones.
  const zonesBefore = zoneFilesInForce()
  useZoneFiles(await readZoneFiles(settings.server.timeZones))
  closers.push(() => useZoneFiles(zonesBefore))
  try {
    const open = settings.engine === 'cluster' ? await clusterOpener() : openEmbedded
    const { services, newAdminKey, started } = await open(parts, closers)
    const { avatica } = services
    openSelfHistory({ ...parts, services, figures }, closers)
    closers.push(async () => avatica.close())
    closers.push(repeat(async () => avatica.closeIdle(), settings.limits.checkMs, checkFailed(observe)))
    const url = await openServer(settings, services, observe, closers)
    observe({ kind: 'serverListening', url })
    const warning = publicReading(settings)
    if (warning !== null) observe({ kind: 'readingIsPublic', warning })
    const startedOrClosed = started().catch(async (error: unknown) => {
      await close()
      throw error
    })
    // A caller that does not await `started` may stop the service earlier; that must not be an unhandled rejection.
    startedOrClosed.catch(() => undefined)
    return { url: url + settings.server.basePath, newAdminKey, started: () => startedOrClosed, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The parts that both engines are opened with. */
function partsOf(settings: Settings, observer: Observe, overrides: ServiceOverrides) {
  const metrics = new Metrics({ processMetrics: true })
  const failing = new FailingWork(Date.now)
  const observed = new ObservedConditions()
  const figures = new SelfFigures({ elapsedMs: () => performance.now(), use: ownUse, level: metrics.level })
  const parts = {
    settings,
    observe: combineSinks(metrics.observe, failing.observe, observed.observe, figures.observe, observer),
    ...{ failing, observed, metrics },
    nowMs: Date.now,
    threadUrl: compiledThread,
    sqlEntryUrl: compiledSqlEntry,
    reach: () => undefined,
    disk: nodeDisk,
    freeBytes,
    ...overrides,
  }
  return { parts, figures }
}

/** Closes the parts that are open by then, the last one first. Later calls do nothing more. */
function closerOf(closers: Closer[], shutdownMs: number): Service['close'] {
  const closeAll = async (atOnce: AbortSignal): Promise<void> => {
    const untilMs = performance.now() + shutdownMs
    const leftMs = (): number => Math.max(0, untilMs - performance.now())
    for (let closer = closers.pop(); closer !== undefined; closer = closers.pop()) await closer({ atOnce, leftMs })
  }
  let closed: Promise<void> | null = null
  return (atOnce = new AbortController().signal) => {
    closed ??= closeAll(atOnce)
    return closed
  }
}

/** Starts to listen. Resolves with the address. */
async function openServer(
  settings: Settings,
  services: Services,
  observe: Observe,
  closers: Closer[],
): Promise<string> {
  const inFlight = new InFlight()
  const certificate = await openCertificate(settings, observe, closers)
  const app = await buildServer({
    services: withOwnState(services, { certificate, publicReading: publicReading(settings) }),
    ...{ settings, inFlight, certificate },
    failedKeys: new FailedKeys({
      perMinute: settings.limits.failedKeysPerMinute,
      nowMs: () => performance.now(),
      observe: combineSinks(observe, refusedTo(services)),
    }),
    requestId: randomUUID,
  })
  let closeOthers = async (): Promise<void> => undefined
  closers.push(async ({ atOnce, leftMs }) => {
    await stopServer(app, inFlight, { shutdownMs: leftMs(), atOnce })
    await closeOthers()
  })
  const listening = await listenAt(app, settings)
  closeOthers = listening.closeOthers
  return listening.url
}

function ownUse(): ProcessUse {
  const { user, system } = process.cpuUsage()
  return { cpuSeconds: (user + system) / 1e6, memoryBytes: process.memoryUsage.rss() }
}

/** Records unknown keys in the audit. */
function refusedTo({ audit }: Pick<Services, 'audit'>): Observe {
  return (event) => {
    if (event.kind === 'keyRefused') audit.keyRefused(event.ip)
  }
}

/** Null where the service uses plain HTTP. */
async function openCertificate(
  settings: Settings,
  observe: Observe,
  closers: Closer[],
): Promise<OwnCertificate | null> {
  const files = ownPairFiles(settings)
  if (files === null) return null
  const certificate = await OwnCertificate.open(files, observe)
  closers.push(repeat(() => certificate.check(), settings.limits.checkMs, checkFailed(observe)))
  return certificate
}

interface OwnState {
  readonly certificate: OwnCertificate | null
  readonly publicReading: string | null
}

/** Adds the state of the server itself to `/readyz`. */
function withOwnState(services: Services, { certificate, publicReading: warning }: OwnState): Services {
  const timeZones = timeZonesOf(zoneFilesInForce())
  return {
    ...services,
    readiness: () => ({
      ...services.readiness(),
      timeZones,
      ...(certificate === null ? {} : { tls: certificate.state }),
      ...(warning === null ? {} : { publicReading: warning }),
    }),
  }
}

async function listenAt(app: App, { host, port }: Settings): Promise<Listening> {
  try {
    return await listen(app, { host, port })
  } catch (error) {
    // Another program has taken the address since it was checked.
    throw new SettingsError([listenFailure(error, { host, port })])
  }
}

/** Loaded on demand: the clients of Kafka and PostgreSQL are a third of a start's work, and 20 MiB of memory. */
async function clusterOpener(): Promise<typeof openCluster> {
  return (await import('./cluster/open-cluster.ts')).openCluster
}

/** The bytes of a folder's disk that are available to us. */
async function freeBytes(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}
