// npm run bench [-- judge|store|sealed|ingest|query] [--short]
import { benchIngest } from './ingest.ts'
import { benchJudge } from './judge.ts'
import { benchMetadata } from './metadata.ts'
import { benchQuery } from './query.ts'
import { benchSealed } from './sealed.ts'
import { benchStore } from './store.ts'

const words = process.argv.slice(2)
const short = words.includes('--short')
const asked = words.filter((word) => !word.startsWith('--'))
const wants = (name: string): boolean => asked.length === 0 || asked.includes(name)

if (wants('judge')) benchJudge()
if (wants('store') && !short) await benchStore()
if (wants('sealed')) {
  await benchSealed(
    short
      ? [{ tags: 100, points: 1000 }]
      : [
          { tags: 1000, points: 8640 },
          { tags: 100_000, points: 40 },
          { tags: 1, points: 4_000_000 },
        ],
  )
}
if (wants('ingest')) await benchIngest(short ? { runs: 1, rowsMax: 50_000 } : { runs: 3, rowsMax: 1_000_000 })
if (wants('query')) await benchQuery(short ? { runs: 1, sizes: [200_000] } : { runs: 3, sizes: [1_000_000, 5_000_000] })
if (wants('metadata')) {
  await benchMetadata(short ? { runs: 1, sizes: [1000, 20_000] } : { runs: 3, sizes: [1000, 100_000, 1_000_000] })
}
