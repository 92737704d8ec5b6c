// A service whose rows are all in files, running while it is measured.
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

/** For each size in rows: fills a new data folder, brings it to rest, and calls `measure` with a service that was restarted over it. */
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
