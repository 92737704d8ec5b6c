// Checks the files of a store: that each is as it was written, and that the manifest lists all of them. Changes nothing.
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Manifest, StoreFile } from '../../catalog/manifest.ts'
import type { Disk } from '../../lib/disk.ts'
import { examine, type Finding } from '../../lib/finding.ts'
import { Pacer } from '../../lib/pacer.ts'
import { EntityRegistry } from './registry/entity-registry.ts'
import { RegistryLog, registryName } from './registry/registry-log.ts'
import { openBlocking } from './sealed/blocking-file.ts'
import { verifyFile } from './sealed/verify-file.ts'

/** Checks the registries and files that the manifest lists, with one finding for each. */
export async function* verifyStore(directory: string, manifest: Manifest, disk: Disk): AsyncGenerator<Finding> {
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
    if (registry !== undefined) yield await verifyOnDisk(directory, file, registry)
  }
  const unknown = await unknownFiles(directory, manifest)
  if (unknown.length === 0) return
  const found = `${unknown.length} files that are not stored, left by a crash; the next start removes them`
  yield { part: 'store', isDamaged: false, found }
}

function verifyOnDisk(directory: string, info: StoreFile, registry: EntityRegistry): Promise<Finding> {
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
