// A service over rows that are all in files, for as long as it is asked something.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ServerProcess } from '../test/support/server-process.ts'
import { bringToRest, type OtherBuild } from './at-rest.ts'
import { fill } from './query.ts'
import { pointsOfTag } from './questions.ts'

export interface PlantAtRest {
  readonly url: string
  readonly dataDirectory: string
  readonly tags: number
}

/** For each size in rows: a fresh data folder is filled and brought to rest, and `measure` asks a service that was started anew over it. */
export async function measurePlantsAtRest(
  sizes: readonly number[],
  measure: (plant: PlantAtRest) => Promise<void>,
): Promise<void> {
  for (const rows of sizes) {
    const tags = Math.max(1, Math.round(rows / pointsOfTag))
    const dataDirectory = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
    try {
      await makePlantAtRest(dataDirectory, tags)
      const server = await ServerProcess.start({ dataDirectory })
      await measure({ url: server.url, dataDirectory, tags }).finally(() => server.stop())
    } finally {
      await rm(dataDirectory, { recursive: true, force: true })
    }
  }
}

export async function makePlantAtRest(dataDirectory: string, tags: number, build?: OtherBuild): Promise<void> {
  const filling = await ServerProcess.start({ dataDirectory, ...build })
  await fill(filling.url, tags).finally(() => filling.stop())
  await bringToRest(dataDirectory, tags * pointsOfTag, build)
}
