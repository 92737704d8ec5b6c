// npm run bench [-- ingest|beside|query|panels] [--short] [--millions 20,50]
// npm run bench -- query --millions 1,10,50 --rest   then starts, cold reads, and DuckDB over the same files
// npm run bench -- panels --millions 20 --druid   the same panels on Druid itself: npm run cluster -- start druid
// npm run bench -- push --millions 100
// npm run bench -- cluster --millions 20   with a real Kafka, Druid and PostgreSQL: npm run cluster -- start
// npm run bench -- portal [--short] [--millions 20]   a CSV file of 100 MB pushed from the portal, and a day drawn from that many rows; needs Chromium
// npm run bench -- panels [--millions 2] --beside ../other/dist/main.js   panels and raw rows, in turns with another build
// npm run bench -- way [--tags 100] [--beside ../other/dist/main.js]   small queries compared with bare node:http, and with another build
// npm run bench -- way --beside-node /another/bin/node   compared with the same build on another Node.js; `pushes` accepts both options too
// npm run bench -- pushes [--short] [--beside ../other/dist/main.js]   pushes compared with bare node:http, and with another build
// npm run bench -- over-time [--short] [--millions 0.432,25.92]   values over time compared with the plain hourly mean, ten tags for a month
// npm run bench -- i3x [--short]   browsing 10,000 objects, and pushes next to 1000 subscriptions
// npm run bench -- replica [--short]   pushes with a replica and without, in turn; its lag, its memory, a restore
// npm run bench -- replica --restore --millions 100 [--short]   a restore of that many rows, compared with a plain copy of the same bytes
// npm run bench -- live [--short]   pushes next to 1,000 readers of live rows
// npm run bench -- deletions [--short] [--beside ../other/dist/main.js]   small queries of tags with 1,000 deletions, compared with none
// npm run bench -- versus [--short] [--millions 20]   compared with VictoriaMetrics, QuestDB and InfluxDB, where they are installed; best with wrk
// npm run bench -- at-rest [--short] [--millions 20]   bytes per row and resident memory, two and a half minutes after the last push, of the same systems
import { parseArgs } from 'node:util'
import { benchPushesUnderLoad } from './beside.ts'
import { benchBytes } from './bytes.ts'
import { benchCluster } from './cluster.ts'
import { benchDeletions } from './deletions.ts'
import { benchI3x } from './i3x.ts'
import { benchIngest } from './ingest.ts'
import { benchLive } from './live.ts'
import { benchOverTime } from './over-time.ts'
import { benchPanels, comparePanels } from './panels.ts'
import { benchPortal } from './portal.ts'
import { benchPush } from './push.ts'
import { benchPushes } from './pushes.ts'
import { benchQuery } from './query.ts'
import { benchReplica } from './replica.ts'
import { benchRestore } from './restore.ts'
import { benchSmallQuestions, thisBuild } from './small-questions.ts'
import { benchVersus } from './versus.ts'

const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    /** Sizes of the data sets of `query`, in millions of rows, and the number of rows of `push`. Default 1,5; for `versus` 20. */
    millions: { type: 'string' },
    rest: { type: 'boolean', default: false },
    /** `replica` measures only restores. */
    restore: { type: 'boolean', default: false },
    /** The number of tags of `way`, each with 20,000 rows. */
    tags: { type: 'string', default: '100' },
    /** The compiled `main.js` of a build that `way` measures in turn with this one. */
    beside: { type: 'string' },
    /** The Node.js that runs the other build; without `beside`, it runs this build. */
    'beside-node': { type: 'string' },
    /** Sends `panels` to Druid too. */
    druid: { type: 'boolean', default: false },
  },
})
const { short, rest } = values
const sizesOf = (millions: string): number[] => millions.split(',').map((one) => Number(one) * 1_000_000)
const sizes = sizesOf(values.millions ?? '1,5')
const { beside: program = thisBuild.program, 'beside-node': node = thisBuild.node } = values
const beside = values.beside === undefined && values['beside-node'] === undefined ? null : { program, node }
const wants = (name: string): boolean => asked.length === 0 || asked.includes(name)

if (wants('ingest'))
  await benchIngest(
    short ? { runs: 1, rowsMax: 50_000, bodiesMax: 2000 } : { runs: 3, rowsMax: 1_000_000, bodiesMax: 1_000_000 },
  )
if (wants('beside')) await benchPushesUnderLoad(short ? { runs: 1, seconds: 2 } : { runs: 3, seconds: 10 })
if (wants('query')) await benchQuery(short ? { runs: 1, sizes: [200_000], rest } : { runs: 3, sizes, rest })
if (wants('panels')) {
  const besideDruid = values.druid
  if (beside === null) {
    await benchPanels(short ? { runs: 1, sizes: [200_000], besideDruid } : { runs: 3, sizes, besideDruid })
  } else {
    for (const rows of short ? [200_000] : sizes) await comparePanels(short ? 1 : 3, rows, [thisBuild, beside])
  }
}
// These take long and run only on request.
if (asked.includes('bytes')) await benchBytes(short ? 100_000 : sizesOf(values.millions ?? '2')[0]!, asked.slice(1))
if (asked.includes('live')) await benchLive(short ? { runs: 1, seconds: 3 } : { runs: 3, seconds: 10 })
if (asked.includes('over-time')) {
  for (const rows of short ? [43_200] : sizesOf(values.millions ?? '0.432,2.592'))
    await benchOverTime({ rows, runs: short ? 1 : 5 })
}
if (asked.includes('i3x')) {
  const size = { objects: 10_000, subscriptions: 1000 }
  await benchI3x(short ? { ...size, runs: 1, seconds: 5 } : { ...size, runs: 3, seconds: 15 })
}
if (asked.includes('way')) {
  const size = short ? { rounds: 3, tags: 10, turnMs: 200 } : { rounds: 11, tags: Number(values.tags), turnMs: 500 }
  await benchSmallQuestions({ ...size, beside })
}
if (asked.includes('pushes')) {
  const size = short ? { rounds: 3, turnMs: 300 } : { rounds: 9, turnMs: 1000 }
  await benchPushes({ ...size, beside })
}
if (asked.includes('deletions')) {
  const size = short ? { rounds: 1, turnMs: 200, deletions: 100 } : { rounds: 7, turnMs: 500, deletions: 1000 }
  await benchDeletions({ ...size, beside })
}
if (asked.includes('push')) for (const rows of sizes) await benchPush(rows)
if (asked.includes('replica') && values.restore) {
  for (const rows of short ? [200_000] : sizesOf(values.millions ?? '20'))
    await benchRestore({ rows, runs: short ? 1 : 5 })
} else if (asked.includes('replica')) {
  await benchReplica(short ? { turns: 2, rowsInTurn: 20_000 } : { turns: 8, rowsInTurn: 500_000 })
}
if (asked.includes('cluster')) for (const rows of sizes) await benchCluster(rows)
if (asked.includes('portal')) {
  const csvBytes = short ? 10e6 : 100e6
  for (const rows of short ? [200_000] : sizes) await benchPortal({ csvBytes, rows, runs: short ? 3 : 20 })
}
if (asked.includes('versus')) {
  const size = short ? { rounds: 1, turnSeconds: 1, restMs: 3000 } : { rounds: 3, turnSeconds: 1, restMs: 15_000 }
  for (const rows of short ? [200_000] : sizesOf(values.millions ?? '20')) await benchVersus({ ...size, rows })
}
if (asked.includes('at-rest')) {
  const size = { rounds: 0, turnSeconds: 0, restMs: short ? 3000 : 150_000 }
  for (const rows of short ? [200_000] : sizesOf(values.millions ?? '20')) await benchVersus({ ...size, rows })
}
