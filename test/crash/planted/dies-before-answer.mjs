// Serves, and kills itself between the fsync of a push and its answer, where the file `dies-after` in the data folder tells how many
// writes of the journal go well before.
import { existsSync, readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { loadSettings } from '../../../src/config/load.ts'
import { openService } from '../../../src/service/start-service.ts'

const flags = Object.fromEntries(
  process.argv
    .slice(3)
    .map((argument, index, all) => [argument.replace(/^--/, ''), all[index + 1]])
    .filter((_, index) => index % 2 === 0),
)
const fuse = join(flags.data, 'dies-after')
let writesLeft = Number.POSITIVE_INFINITY
if (existsSync(fuse)) {
  writesLeft = Number(readFileSync(fuse, 'utf8'))
  unlinkSync(fuse)
}
const settings = loadSettings({ flags, environment: process.env, file: null })
const service = await openService(settings, ({ kind }) => {
  // Told in the same turn in which the write is known to be on disk: no answer has been sent yet.
  if (kind === 'journalWritten' && --writesLeft < 0) process.kill(process.pid, 'SIGKILL')
})
await service.started()
process.stdout.write(`${JSON.stringify({ url: service.url })}\n`)
process.on('SIGTERM', () => service.close())
