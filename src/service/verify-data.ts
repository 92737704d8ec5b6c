// Checks the data folder of a stopped service: whether every part is as it was written, and whether the parts agree. Changes nothing.
import { acknowledgedPositionOf } from '../catalog/acknowledged-position.ts'
import type { Manifest } from '../catalog/manifest.ts'
import { checkSqliteFile } from '../catalog/sqlite/check-files.ts'
import { takeOwnership } from '../catalog/sqlite/owner-lock.ts'
import { requireCatalog, requireDataFolder } from '../catalog/sqlite/require-catalog.ts'
import { openSqliteCatalog } from '../catalog/sqlite/sqlite-catalog.ts'
import { dataPaths } from '../config/data-paths.ts'
import type { Settings } from '../config/settings.ts'
import { IdempotencyKeys } from '../ingest/idempotency/idempotency-keys.ts'
import { UnknownIngest } from '../ingest/quarantine/validation-watch.ts'
import { openFileJournal } from '../journal/file/file-journal.ts'
import { openFileJournalCursor } from '../journal/file/file-journal-cursor.ts'
import { requireJournal } from '../journal/file/require-journal.ts'
import { type JournalCursor, positionAfter } from '../journal/journal.ts'
import type { Disk, DiskFile } from '../lib/disk.ts'
import { examine, type Finding } from '../lib/finding.ts'
import { nodeDisk } from '../lib/node-disk.ts'
import { verifyStore } from '../store/embedded/verify-store.ts'

type VerifiedSettings = Pick<Settings, 'data' | 'journal' | 'limits'>

const disk = readOnlyDisk(nodeDisk)
const readBytes = 1024 * 1024

/** Checks the folder part by part. Throws an Error when it is not a data folder, or when a service uses it. */
export async function* verifyData(settings: VerifiedSettings): AsyncGenerator<Finding> {
  const { data } = settings
  const paths = dataPaths(data)
  await requireDataFolder(data, paths, disk)
  const ownership = takeOwnership(data)
  try {
    const catalog = await verifyCatalog(paths)
    const { manifest } = catalog
    yield catalog.finding
    yield await examine('journal', () => verifyJournal(settings, catalog))
    if (manifest === null)
      yield {
        part: 'store',
        isDamaged: false,
        isSkipped: true,
        found: 'not checked: only the catalog knows which files count. Restore the catalog and verify again',
      }
    else yield* verifyStore(paths.store, manifest, disk)
  } finally {
    ownership.release()
  }
}

interface VerifiedCatalog {
  readonly finding: Finding
  readonly manifest: Manifest | null
  readonly acknowledgedPosition: number | null
}

async function verifyCatalog(paths: ReturnType<typeof dataPaths>): Promise<VerifiedCatalog> {
  const path = paths.catalog
  let manifest: Manifest | null = null
  let acknowledgedPosition: number | null = null
  const finding = await examine('catalog.sqlite', async () => {
    await requireCatalog(paths, disk)
    const faults = checkSqliteFile(path)
    if (faults.length > 0) throw new Error(`${path} is damaged: ${faults[0]}`)
    const catalog = await openSqliteCatalog({ path, readOnly: true })
    try {
      const loaded = await catalog.manifest.load()
      manifest = loaded
      acknowledgedPosition = await acknowledgedPositionOf(catalog)
      return `${loaded.files.length} files are stored, with all rows before position ${loaded.sealedPosition}`
    } finally {
      await catalog.close()
    }
  })
  return { finding, manifest, acknowledgedPosition }
}

/** Opens the journal as a start would, together with the idempotency keys. */
async function verifyJournal(
  { data, journal, limits }: VerifiedSettings,
  { manifest, acknowledgedPosition }: VerifiedCatalog,
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
    acknowledgedPosition,
  })
  const { recovery, firstPosition, durablePosition } = writer
  const reader = openFileJournalCursor({ disk, directory: paths.journal })
  const keys = await IdempotencyKeys.open({
    disk,
    directory: paths.idempotency,
    newSalt: () => 0,
    nowMs: Date.now,
    uptimeMs: () => performance.now(),
    keysMax: limits.idempotencyKeys,
    journal: { firstPosition, durablePosition, reader },
  })
  await keys.close()
  await writer.close()
  if (manifest !== null) {
    requireJournal(writer, manifest.sealedPosition, paths.journal)
    await requireIngests(paths.catalog, reader, { sealedPosition: manifest.sealedPosition, durablePosition })
  }
  await reader.close()
  const torn =
    recovery.tornBytes === 0 ? '' : `; after it ${recovery.tornBytes} bytes of a push that was never acknowledged`
  return `${recovery.entries} pushes in ${recovery.segments} files, up to position ${durablePosition}${torn}; ${keys.size} idempotency keys`
}

/** Throws `UnknownIngest`, as the next start would, when a push that is not stored yet belongs to an ingest that the catalog lacks. */
async function requireIngests(
  path: string,
  reader: JournalCursor,
  { sealedPosition, durablePosition }: { readonly sealedPosition: number; readonly durablePosition: number },
): Promise<void> {
  const catalog = await openSqliteCatalog({ path, readOnly: true })
  try {
    const dropped = new Set((await catalog.dropped.list()).flatMap(({ ingestIds }) => ingestIds))
    const known = new Set<string>()
    for (let position = sealedPosition; position < durablePosition; ) {
      const entries = await reader.read(position, durablePosition, readBytes)
      const last = entries.at(-1)
      if (last === undefined) return
      for (const { ingestId, fieldsVersion, format } of entries) {
        const definition = `${ingestId} ${fieldsVersion}`
        if (format === 'lost' || dropped.has(ingestId) || known.has(definition)) continue
        if ((await catalog.ingests.findVersion(ingestId, fieldsVersion)) === null)
          throw new UnknownIngest(ingestId, fieldsVersion)
        known.add(definition)
      }
      position = positionAfter(last)
    }
  } finally {
    await catalog.close()
  }
}

/** A disk with real reads on which every change is discarded. It shows what would be repaired, without repairing it. */
function readOnlyDisk(disk: Disk): Disk {
  return {
    ...disk,
    makeDirectory: async () => undefined,
    open: async (path, { create }) => (create ? emptyFile : unwritten(await disk.open(path, { create: false }))),
    link: async () => undefined,
    remove: async () => undefined,
    removeFolder: async () => undefined,
    rename: async () => undefined,
    syncDirectory: async () => undefined,
  }
}

const unchanged = {
  write: async () => undefined,
  truncate: async () => undefined,
  sync: async () => undefined,
}

const emptyFile: DiskFile = { ...unchanged, size: async () => 0, read: async () => 0, close: async () => undefined }

function unwritten(file: DiskFile): DiskFile {
  return {
    ...unchanged,
    size: () => file.size(),
    read: (buffer, offset) => file.read(buffer, offset),
    close: () => file.close(),
  }
}
