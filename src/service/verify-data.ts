// Checks the data folder of a stopped service: that every part is as it was written, and that the parts agree. Changes nothing.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest, StoreFile } from '../catalog/manifest.ts'
import { checkSqliteFile } from '../catalog/sqlite/check-file.ts'
import { takeOwnership } from '../catalog/sqlite/owner-lock.ts'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import type { Settings } from '../config/settings.ts'
import { IdempotencyKeys } from '../ingest/idempotency/idempotency-keys.ts'
import { openFileJournal } from '../journal/file/file-journal.ts'
import { openFileJournalReader } from '../journal/file/reader.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { Pacer } from '../lib/pacer.ts'
import { readOnlyDisk } from '../lib/read-only-disk.ts'
import { EntityRegistry } from '../store/embedded/registry/entity-registry.ts'
import { RegistryLog, registryName } from '../store/embedded/registry/registry-log.ts'
import { openBlocking } from '../store/embedded/sealed/blocking-file.ts'
import { verifyFile } from '../store/embedded/sealed/verify-file.ts'
import { dataPaths, vouchedPositionOf } from './open-storage.ts'
import { dataIn, requireCatalog } from './require-catalog.ts'
import { requireJournal } from './require-journal.ts'

export interface Finding {
  /** What was checked: a part of the folder, or a file of it. */
  readonly part: string
  readonly isDamaged: boolean
  /** A sentence without its end. */
  readonly found: string
}

type VerifiedSettings = Pick<Settings, 'data' | 'journal' | 'limits'>

const disk = readOnlyDisk(nodeDisk)

/** Goes through the folder part by part. Throws an Error when it is no data folder, or a service uses it. */
export async function* verifyData(settings: VerifiedSettings): AsyncGenerator<Finding> {
  const { data } = settings
  const paths = dataPaths(data)
  if (!existsSync(paths.catalog) && (await dataIn(paths, disk)).length === 0) {
    throw new Error(`"${data}" is no data folder: it holds no catalog.sqlite. Give another one with --data.`)
  }
  const ownership = takeOwnership(data)
  try {
    const catalog = await verifyCatalog(paths)
    const { manifest } = catalog
    yield catalog.finding
    yield await examine('journal', () => verifyJournal(settings, catalog))
    if (manifest !== null) yield* verifyStore(paths.store, manifest)
  } finally {
    ownership.release()
  }
}

async function examine(part: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { part, isDamaged: false, found: await check() }
  } catch (error) {
    return { part, isDamaged: true, found: error instanceof Error ? error.message : String(error) }
  }
}

interface VerifiedCatalog {
  readonly finding: Finding
  readonly manifest: Manifest | null
  readonly vouchedPosition: number | null
}

async function verifyCatalog(paths: ReturnType<typeof dataPaths>): Promise<VerifiedCatalog> {
  const path = paths.catalog
  let manifest: Manifest | null = null
  let vouchedPosition: number | null = null
  const finding = await examine('catalog.sqlite', async () => {
    await requireCatalog(paths, disk)
    const faults = checkSqliteFile(path)
    if (faults.length > 0) throw new Error(`${path} is damaged: ${faults[0]}`)
    const catalog = await openSqliteCatalog({ path, readOnly: true })
    try {
      const loaded = await catalog.manifest.load()
      manifest = loaded
      vouchedPosition = await vouchedPositionOf(catalog)
      return `${loaded.files.length} files are stored; what is before position ${loaded.sealedPosition} is in them`
    } finally {
      await catalog.close()
    }
  })
  return { finding, manifest, vouchedPosition }
}

/** As a start would open it, and the keys with it. */
async function verifyJournal(
  { data, journal, limits }: VerifiedSettings,
  { manifest, vouchedPosition }: VerifiedCatalog,
): Promise<string> {
  const paths = dataPaths(data)
  const writer = await openFileJournal({
    disk,
    directory: paths.journal,
    settings: {
      segmentBytes: journal.segmentBytes,
      batchBytesMax: journal.batchBytes,
      pendingBytesMax: journal.pendingBytes,
      apartBytesMin: journal.apartBytes,
    },
    observe: () => undefined,
    reachedPosition: manifest?.sealedPosition ?? 0,
    vouchedPosition,
  })
  const { recovery, firstPosition, durablePosition } = writer
  const reader = openFileJournalReader({ disk, directory: paths.journal })
  const keys = await IdempotencyKeys.open({
    disk,
    directory: paths.idempotency,
    newSalt: () => 0,
    nowMs: Date.now,
    uptimeMs: () => performance.now(),
    keysMax: limits.idempotencyKeys,
    journal: { firstPosition, durablePosition, reader },
  })
  await reader.close()
  await keys.close()
  await writer.close()
  if (manifest !== null) requireJournal(writer, manifest.sealedPosition, paths.journal)
  const torn =
    recovery.tornBytes === 0 ? '' : `; behind it ${recovery.tornBytes} bytes of a push that was never acknowledged`
  return `${recovery.entries} pushes in ${recovery.segments} files, up to position ${durablePosition}${torn}; ${keys.size} idempotency keys`
}

async function* verifyStore(directory: string, manifest: Manifest): AsyncGenerator<Finding> {
  const registries = new Map<number, EntityRegistry>()
  for (const recorded of manifest.registries) {
    const { entityId } = recorded
    const registry = new EntityRegistry(entityId)
    yield await examine(`store/${entityId}/${registryName}`, async () => {
      const parts = { disk, directory: join(directory, String(entityId)), registry, settle: async () => undefined }
      await RegistryLog.open(parts, recorded)
      registries.set(entityId, registry)
      return `${recorded.series} series`
    })
  }
  for (const file of manifest.files) {
    const registry = registries.get(file.entityId)
    if (registry !== undefined) yield await verifyStored(directory, file, registry)
  }
  const unknown = await unknownFiles(directory, manifest)
  if (unknown.length === 0) return
  const found = `${unknown.length} files that are not stored, left by a crash; the next start removes them`
  yield { part: 'store', isDamaged: false, found }
}

function verifyStored(directory: string, info: StoreFile, registry: EntityRegistry): Promise<Finding> {
  const part = `store/${info.entityId}/${info.name}`
  return examine(part, async () => {
    const path = join(directory, String(info.entityId), info.name)
    const paths = { parquet: `${path}.parquet`, index: `${path}.index` }
    const pacer = new Pacer({ sliceMs: 50, signal: new AbortController().signal })
    const faults = await verifyFile({ info, paths, registry, openBlocking }, pacer)
    if (faults.length > 0) throw new Error(faults.join('\n'))
    return `${info.rows} rows`
  })
}

async function unknownFiles(directory: string, { files, registries }: Manifest): Promise<readonly string[]> {
  const known = new Set([
    ...files.flatMap(({ entityId, name }) => ['parquet', 'index'].map((ending) => `${entityId}/${name}.${ending}`)),
    ...registries.map(({ entityId }) => `${entityId}/${registryName}`),
  ])
  if (!existsSync(directory)) return []
  const there = await readdir(directory, { recursive: true, withFileTypes: true })
  return there
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(directory.length + 1))
    .filter((name) => !known.has(name))
}
