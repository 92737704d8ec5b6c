// The rows of plant.ts in Druid itself, loaded by one batch task; needs a Druid started by `npm run cluster -- start druid`.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { addresses } from '../test/cluster/addresses.ts'
import { callOk } from '../test/support/api.ts'
import { plantRow } from './plant.ts'
import { pointsOfTag } from './questions.ts'

const rowsInPiece = 10_000

/** Calls `measure` with the address of a Druid whose data source `plant` contains the rows; deletes the data source afterwards. */
export async function withPlantInDruid(tags: number, measure: (url: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-bench-druid-'))
  try {
    await writeRows(join(folder, 'rows.json'), tags)
    const { task } = await callOk<{ task: string }>(addresses.druidOverlord, 'POST', '/druid/indexer/v1/task', {
      body: batchTask(folder),
    })
    await untilDone(task)
    await untilHeld(tags * pointsOfTag)
    await measure(addresses.druidBroker)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await fetch(`${addresses.druidOverlord}/druid/coordinator/v1/datasources/plant`, { method: 'DELETE' })
  }
}

async function writeRows(path: string, tags: number): Promise<void> {
  const file = createWriteStream(path)
  let rows: string[] = []
  for (let point = 0; point < pointsOfTag; point++) {
    for (let tag = 0; tag < tags; tag++) rows.push(plantRow(tag, point))
    if (rows.length < rowsInPiece && point + 1 < pointsOfTag) continue
    if (!file.write(`${rows.join('\n')}\n`)) await once(file, 'drain')
    rows = []
  }
  file.end()
  await once(file, 'close')
}

function batchTask(baseDir: string): object {
  const numbers = ['V', 'W'].map((name) => ({ type: 'double', name }))
  return {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'plant',
        timestampSpec: { column: 'D', format: 'iso' },
        dimensionsSpec: { dimensions: ['T', 'area', ...numbers] },
        granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'NONE', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'local', baseDir, filter: 'rows.json' },
        inputFormat: { type: 'json' },
      },
      tuningConfig: { type: 'index_parallel', maxRowsInMemory: 500_000 },
    },
  }
}

async function untilDone(task: string): Promise<void> {
  for (;;) {
    const path = `/druid/indexer/v1/task/${task}/status`
    const { status } = await callOk<{ status: { statusCode: string } }>(addresses.druidOverlord, 'GET', path)
    if (status.statusCode === 'SUCCESS') return
    if (status.statusCode !== 'RUNNING') throw new Error(`Druid's task: ${JSON.stringify(status)}`)
    await sleep(1000)
  }
}

/** Waits until historicals serve all rows. The data source is unknown before its first segment exists. */
async function untilHeld(rows: number): Promise<void> {
  for (;;) {
    const response = await fetch(`${addresses.druidBroker}/druid/v2/sql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: 'SELECT COUNT(*) AS n FROM plant' }),
    })
    const answer: unknown = await response.json()
    if (response.ok && (answer as { n: number }[])[0]?.n === rows) return
    await sleep(1000)
  }
}
